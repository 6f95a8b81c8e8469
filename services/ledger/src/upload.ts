import { invalid } from '@coffer/kit/errors'
import { z } from 'zod'

/** A file that a user has uploaded; `size` in bytes. Its bytes are gone once `deletedAt` is set. */
export const StoredFile = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  fileId: z.string(),
  kind: z.enum(['transactions/uploads']),
  name: z.string(),
  contentType: z.string(),
  size: z.bigint(),
  createdAt: z.date(),
  createdBy: z.string(),
  expiresAt: z.date().nullable(),
  deletedAt: z.date().nullable(),
})
export type StoredFile = z.infer<typeof StoredFile>

/** The import of one file: `error` is set exactly when it failed (`spec/ledger.md` 6.2). */
export const Upload = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  transactionUploadId: z.string(),
  fileId: z.string(),
  status: z.enum(['pending', 'processing', 'failed', 'complete']),
  error: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  processedAt: z.date().nullable(),
  completedAt: z.date().nullable(),
  importedCount: z.bigint(),
  skippedCount: z.bigint(),
})
export type Upload = z.infer<typeof Upload>

/** What names one upload. */
export type UploadKey = Pick<Upload, 'accountId' | 'bankAccountId' | 'transactionUploadId'>

const KEPT_FOR_MS = 60 * 60 * 1000
const NAME_LENGTH_MAX = 300
// Media types are compared without case (RFC 9110, 8.3.1).
const OFX_TYPE = 'application/vnd.intu.qfx'
const UNNAMED_TYPE = 'application/octet-stream'
const OFX_EXTENSION = /\.(ofx|qfx|qbo)$/i

export interface NewUpload {
  accountId: string
  bankAccountId: string
  createdBy: string
  fileId: string
  transactionUploadId: string
  name: string
  contentType: string
  size: bigint
}

/**
 * A file and its upload, pending. The content type says what it is, or the extension where the type
 * says nothing (`spec/ledger.md` 6.1). Anything but OFX, QFX and QBO is refused.
 */
export function createUpload(body: NewUpload, now: Date): { file: StoredFile; upload: Upload } {
  const { accountId, bankAccountId, fileId, createdBy, contentType } = body
  const type = contentType.toLowerCase()
  const isOfx = type === OFX_TYPE || (type === UNNAMED_TYPE && OFX_EXTENSION.test(body.name))
  if (!isOfx) {
    throw invalid({ data: 'must be an OFX, QFX or QBO file' })
  }
  const common = { accountId, bankAccountId, fileId, createdAt: now, createdBy }
  return {
    file: {
      ...common,
      kind: 'transactions/uploads',
      name: fileName(body.name),
      contentType,
      size: body.size,
      expiresAt: new Date(now.getTime() + KEPT_FOR_MS),
      deletedAt: null,
    },
    upload: {
      ...common,
      transactionUploadId: body.transactionUploadId,
      status: 'pending',
      error: null,
      processedAt: null,
      completedAt: null,
      importedCount: 0n,
      skippedCount: 0n,
    },
  }
}

/** The last part of whatever path a client sends, printable and of bounded length. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const printable = last.replace(/\p{C}+/gu, '').trim()
  return [...printable].slice(-NAME_LENGTH_MAX).join('') || 'upload'
}
