import { invalid } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { fileKindOf } from './formats/file-kind.ts'
import { createFile, type NewFile, type StoredFile } from './storage/stored-file.ts'

/** The import of one file: `error` is set exactly when it failed (`spec/ledger.md` 6.2). */
export const Upload = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  transactionUploadId: z.string(),
  fileId: z.string(),
  format: z.enum(['ofx', 'camt053', 'qif', 'csv']),
  status: z.enum(['pending', 'processing', 'failed', 'complete']),
  error: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  processedAt: z.date().nullable(),
  completedAt: z.date().nullable(),
  importedCount: z.bigint(),
  skippedCount: z.bigint(),
  /** When what it stored was taken back again. */
  undoneAt: z.date().nullable(),
  /** The instant that the balances in its file hold for; null when the file does not say. */
  balancesAsOf: z.date().nullable(),
})
export type Upload = z.infer<typeof Upload>

/** What names one upload. */
export type UploadKey = Pick<Upload, 'accountId' | 'bankAccountId' | 'transactionUploadId'>

export type NewUpload = Omit<NewFile, 'kind'> & Pick<Upload, 'transactionUploadId' | 'format'>

/** The kind of a file, by its first bytes and its name. Refuses an empty or unknown one. */
export function formatOf({ name, head }: { name: string; head: Uint8Array }): Upload['format'] {
  if (head.length === 0) {
    throw invalid({ data: 'must not be empty' })
  }
  const format = fileKindOf({ name, head })
  if (format === null) {
    const kinds = 'an OFX, QFX, QBO, CAMT.053 or QIF file'
    throw invalid({ data: `must be ${kinds}; a CSV file goes to transactions/import` })
  }
  if (format === 'csv') {
    throw invalid({ data: 'is a CSV file, which needs a mapping: use transactions/import' })
  }
  return format
}

/** What a user should know of a kind of file, or null. */
export function noteOf({ format }: Pick<Upload, 'format'>): string | null {
  return format === 'qif'
    ? 'A QIF file states no balances: they stay as they are, so set them by hand where they differ'
    : null
}

/** A file and its upload, pending. */
export function createUpload(body: NewUpload, now: Date): { file: StoredFile; upload: Upload } {
  const file = createFile({ ...body, kind: 'transactions/uploads' }, now)
  return { file, upload: uploadOf(file, body, now) }
}

/** The import of a stored file, pending. */
export function uploadOf(
  { accountId, bankAccountId, fileId }: Pick<StoredFile, 'accountId' | 'bankAccountId' | 'fileId'>,
  of: Pick<Upload, 'transactionUploadId' | 'format' | 'createdBy'>,
  now: Date,
): Upload {
  const { transactionUploadId, format, createdBy } = of
  return {
    ...{ accountId, bankAccountId, transactionUploadId, fileId, format },
    status: 'pending',
    error: null,
    createdAt: now,
    createdBy,
    processedAt: null,
    completedAt: null,
    importedCount: 0n,
    skippedCount: 0n,
    undoneAt: null,
    balancesAsOf: null,
  }
}
