import { z } from 'zod'

/** A file that a user has uploaded; `size` in bytes. Its bytes are gone once `deletedAt` is set. */
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

/** A file, to be kept for an hour (`spec/ledger.md` 6.7). */
export function createFile({ name, ...body }: NewFile, now: Date): StoredFile {
  const { accountId, bankAccountId, fileId, kind, contentType, size, createdBy } = body
  return {
    ...{ accountId, bankAccountId, fileId, kind, contentType, size, createdBy },
    name: fileName(name),
    createdAt: now,
    expiresAt: new Date(now.getTime() + KEPT_FOR_MS),
    deletedAt: null,
  }
}

/** The last part of whatever path a client sends, printable and of bounded length. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const printable = last.replace(/\p{C}+/gu, '').trim()
  return [...printable].slice(-NAME_LENGTH_MAX).join('') || 'upload'
}
