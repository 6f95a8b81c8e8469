import { z } from 'zod'

/** An uploaded file; `size` in bytes. `deletedAt` is set once its bytes are removed. */
export const StoredFile = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  fileId: z.string(),
  kind: z.enum(['transactions/uploads', 'transactions/imports']),
  name: z.string(),
  contentType: z.string(),
  size: z.bigint(),
  createdAt: z.date(),
  createdBy: z.string(),
  expiresAt: z.date().nullable(),
  deletedAt: z.date().nullable(),
})
export type StoredFile = z.infer<typeof StoredFile>

const KEPT_FOR_MS = 60 * 60 * 1000
const NAME_LENGTH_MAX = 300

export interface NewFile {
  accountId: string
  bankAccountId: string
  createdBy: string
  fileId: string
  kind: StoredFile['kind']
  name: string
  contentType: string
  /** Bytes. */
  size: bigint
}

/** Returns a new file, kept for one hour (docs/files.md#storing). */
export function createFile({ name, ...body }: NewFile, now: Date): StoredFile {
  const { accountId, bankAccountId, fileId, kind, contentType, size, createdBy } = body
  return {
    accountId,
    bankAccountId,
    fileId,
    kind,
    contentType,
    size,
    createdBy,
    name: fileName(name),
    createdAt: now,
    expiresAt: new Date(now.getTime() + KEPT_FOR_MS),
    deletedAt: null,
  }
}

/** Returns the last part of a client's path: printable characters, of bounded length. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const printable = last.replace(/\p{C}+/gu, '').trim()
  return [...printable].slice(-NAME_LENGTH_MAX).join('') || 'upload'
}
