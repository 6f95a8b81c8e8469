import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Import } from '../../api/import-queries.ts'
import type { Choices } from './read-choices.tsx'

/** Returns the request to read a file again with a choice, then preview it by the same mapping. */
export function useReadAgain(found: Import) {
  const { bankAccountId, transactionImportId, transactionImportMappingId: chosen } = found
  const path = { bankAccountId, transactionImportId }
  return useChange((choice: Choices) => {
    const step = { transactionImportMappingId: chosen ?? '', status: 'pending-preview' } as const
    return coffer.updateImport({ path, body: { ...choice, ...step } })
  })
}
