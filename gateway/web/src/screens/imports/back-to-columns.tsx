import type { RefObject } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Import } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { importWords as words } from '../../words/imports.ts'
import type { Draft } from './columns/column-mapping.ts'

/** Leads back to the columns of a file, which the server still has. */
export function BackToColumns({ found, draft }: { found: Import; draft: RefObject<Draft> }) {
  const { bankAccountId, transactionImportId } = found
  const path = { bankAccountId, transactionImportId }
  const delimiter = found.delimeter as ',' | ';' | '|' | '\t'
  const { send, isSending, fault } = useChange(async () => {
    // A choice alone returns an import to its columns; this one changes nothing.
    const returned = await coffer.updateImport({ path, body: { delimiter } })
    const { mappingId } = draft.current
    draft.current.mappingId = null
    // Otherwise it would be offered for the next file. It may stay: a newer one is preferred.
    if (mappingId) await removeMapping(mappingId).catch(() => null)
    return returned
  })
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <Button isBusy={isSending} onClick={() => send(undefined)}>
        {words.back}
      </Button>
    </>
  )
}

function removeMapping(transactionImportMappingId: string) {
  return coffer.deleteMapping({ path: { transactionImportMappingId } })
}
