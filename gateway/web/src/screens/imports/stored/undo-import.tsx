import { useQuery } from '@tanstack/react-query'
import { spendingQuery } from '../../../api/budget-queries.ts'
import { coffer } from '../../../api/client.ts'
import type { Upload } from '../../../api/import-queries.ts'
import { Confirmation } from '../../../controls/confirmation.tsx'
import { importWords as words } from '../../../words/imports.ts'

interface Props {
  upload: Upload
  onClose: () => void
}

/** Confirmation of the undo of an import. */
export function UndoImport({ upload, onClose }: Props) {
  const { bankAccountId, transactionUploadId, file } = upload
  const deletedCount = deletedCountOf([upload])
  const { data: envelopes = [] } = useQuery(spendingQuery(bankAccountId))
  const hasPaid = deletedCount > 0 && envelopes.length > 0
  return (
    <Confirmation
      title={words.undoTitle({ name: file?.name ?? words.file })}
      action={words.undo}
      change={() => coffer.undoUpload({ path: { bankAccountId, transactionUploadId } })}
      onClose={onClose}
    >
      {[
        words.undoText({ count: deletedCount }),
        ...leftTexts([upload]),
        ...(hasPaid ? [words.undoEnvelopes] : []),
      ].join(' ')}
    </Confirmation>
  )
}

/** Returns the number of transactions that the undo of imports deletes. */
export function deletedCountOf(
  uploads: readonly Pick<Upload, 'importedCount' | 'keptCount'>[],
): number {
  return uploads.reduce((sum, one) => sum + one.importedCount - (one.keptCount ?? 0), 0)
}

/** Returns texts about the transactions that an undo keeps, and about joined rows, if any. */
export function leftTexts(uploads: readonly Pick<Upload, 'keptCount' | 'joinedCount'>[]): string[] {
  const kept = uploads.reduce((sum, one) => sum + (one.keptCount ?? 0), 0)
  const joined = uploads.reduce((sum, one) => sum + (one.joinedCount ?? 0), 0)
  return [
    ...(kept ? [words.undoKept({ count: kept })] : []),
    ...(joined ? [words.undoJoined({ count: joined })] : []),
  ]
}
