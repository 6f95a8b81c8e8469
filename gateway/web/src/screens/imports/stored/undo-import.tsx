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

/** Asks before an import is undone. */
export function UndoImport({ upload, onClose }: Props) {
  const { bankAccountId, transactionUploadId, importedCount, file } = upload
  const { data: envelopes = [] } = useQuery(spendingQuery(bankAccountId))
  const hasPaid = importedCount > 0 && envelopes.length > 0
  return (
    <Confirmation
      title={words.undoTitle({ name: file?.name ?? words.file })}
      action={words.undo}
      change={() => coffer.undoUpload({ path: { bankAccountId, transactionUploadId } })}
      onClose={onClose}
    >
      {[
        words.undoText({ count: importedCount }),
        ...joinedTexts(upload.joinedCount),
        ...(hasPaid ? [words.undoEnvelopes] : []),
      ].join(' ')}
    </Confirmation>
  )
}

/** Returns what an undo says of joined rows: nothing without any. */
export function joinedTexts(joinedCount: number | null): string[] {
  return joinedCount ? [words.undoJoined({ count: joinedCount })] : []
}
