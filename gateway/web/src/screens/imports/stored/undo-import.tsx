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
  return (
    <Confirmation
      title={words.undoTitle({ name: file?.name ?? words.file })}
      action={words.undo}
      change={() => coffer.undoUpload({ path: { bankAccountId, transactionUploadId } })}
      onClose={onClose}
    >
      {words.undoText({ count: importedCount })}
    </Confirmation>
  )
}
