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

/** The step back to the column form of a file that the server still stores. */
export interface WayBack {
  back: () => void
  isSending: boolean
  fault: Fault | null
}

/** Returns the step back to the column form; the browser's Back button triggers it, too. */
export function useWayBack(found: Import | undefined, draft: RefObject<Draft>): WayBack {
  const { send, isSending, fault } = useChange(async (one: Import) => {
    const { bankAccountId, transactionImportId } = one
    const path = { bankAccountId, transactionImportId }
    const delimiter = one.delimeter as ',' | ';' | '|' | '\t'
    // Any choice returns an import to status `mapping`, so the current delimiter is sent again.
    const returned = await coffer.updateImport({ path, body: { delimiter } })
    const { mappingId } = draft.current
    draft.current.mappingId = null
    // Removes the mapping, else it would be offered for the next file. Errors are ignored, because
    // the mapping that the user creates next is newer and so offered first.
    if (mappingId) await removeMapping(mappingId).catch(() => null)
    return returned
  })
  const isOn = found !== undefined && (found.status === 'preview' || isRereadable(found))
  const back = useBackStep(isOn, () => found && send(found))
  return { back, isSending, fault }
}

/** Returns whether a failed import may be read again: not if its upload may have stored rows. */
export function isRereadable({ status, transactionUploadId }: Import): boolean {
  return status === 'failed' && !transactionUploadId
}

/** The button that leads back to the column form. */
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
