import type { Database } from '@coffer/kit/database/database'
import type { Upload as UploadMessage } from '@coffer/proto/ledger/v1/upload'
import { getBankAccount } from '../../accounts/bank-account.sql.ts'
import type { FileKind } from '../formats/file-kind.ts'
import type { Readers } from '../formats/statement-pool.client.ts'
import { previewRules } from '../rules/previewed-rules.service.ts'
import type { Upload } from '../upload.ts'
import { renderPreview, renderRefusal } from '../upload-answer.ts'
import { compareRead, settingsFor } from '../upload-preview.service.ts'

/**
 * Returns the previews of a file with several bank accounts, which has an upload for each of them.
 * The file is parsed once for all (docs/files.md#all-accounts).
 */
export async function previewUploads(
  { database, readers }: { database: Database; readers: Readers },
  uploads: readonly Upload[],
  file: { bytes: Uint8Array; format: Exclude<FileKind, 'csv'>; timezone: string },
): Promise<Map<Upload, UploadMessage>> {
  const { bytes, format, timezone } = file
  const shown = new Map<Upload, UploadMessage>()
  const [first] = uploads
  if (!first) return shown
  const bankAccounts = await Promise.all(
    uploads.map((one) => getBankAccount(database, one.accountId, one.bankAccountId)),
  )
  const settings = await Promise.all(
    bankAccounts.map((bankAccount, index) =>
      settingsFor(database, { bankAccount, timezone, choices: uploads[index]?.choices ?? {} }),
    ),
  )
  const read = await readers.readAll(first.accountId, { bytes, kind: format, settings })
  for (const [index, upload] of uploads.entries()) {
    const [bankAccount, statement] = [
      bankAccounts[index],
      'unreadable' in read ? read : read[index],
    ]
    if (!bankAccount || !statement) throw new Error(`no statement for upload ${index} of a group`)
    const found = await compareRead(database, statement, { bankAccount, format })
    if ('unreadable' in found) shown.set(upload, renderRefusal(upload, found))
    else {
      const rules = await previewRules(database, { ...upload, timezone }, found)
      shown.set(upload, renderPreview(upload, found, rules))
    }
  }
  return shown
}
