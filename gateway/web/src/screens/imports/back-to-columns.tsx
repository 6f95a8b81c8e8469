import type { RefObject } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Fault } from '../../api/faults.ts'
import type { Import } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { useBackStep } from '../../shell/opened-form.ts'
import { importWords as words } from '../../words/imports.ts'
import type { Draft } from './columns/column-mapping.ts'

/** The way back to the columns of a file, which the server still has. */
export interface WayBack {
  back: () => void
  isSending: boolean
  fault: Fault | null
}

/** Returns the way back, which Back of the browser takes too. */
export function useWayBack(found: Import | undefined, draft: RefObject<Draft>): WayBack {
  const { send, isSending, fault } = useChange(async (one: Import) => {
    const { bankAccountId, transactionImportId } = one
    const path = { bankAccountId, transactionImportId }
    const delimiter = one.delimeter as ',' | ';' | '|' | '\t'
    // A choice alone returns an import to its columns; this one changes nothing.
    const returned = await coffer.updateImport({ path, body: { delimiter } })
    const { mappingId } = draft.current
    draft.current.mappingId = null
    // Otherwise it would be offered for the next file. It may stay: a newer one is preferred.
    if (mappingId) await removeMapping(mappingId).catch(() => null)
    return returned
  })
  const isOn = found !== undefined && (found.status === 'preview' || isRereadable(found))
  const back = useBackStep(isOn, () => found && send(found))
  return { back, isSending, fault }
}

/** Returns whether a refused file may be read again: rows of an upload may be stored in part. */
export function isRereadable({ status, transactionUploadId }: Import): boolean {
  return status === 'failed' && !transactionUploadId
}

/** The button that leads back to the columns. */
export function BackToColumns({ back, isSending, fault }: WayBack) {
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <Button isBusy={isSending} onClick={back}>
        {words.back}
      </Button>
    </>
  )
}

function removeMapping(transactionImportMappingId: string) {
  return coffer.deleteMapping({ path: { transactionImportMappingId } })
}
