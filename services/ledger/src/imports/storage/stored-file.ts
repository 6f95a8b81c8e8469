import { toPrintable } from '@coffer/kit/values/printable'
import { values } from '@coffer/proto/values'
import { z } from 'zod'

/** An uploaded file; `size` in bytes. `deletedAt` is set once its bytes are removed. */
export const StoredFile = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  fileId: z.string(),
  kind: z.enum(values['File.kind']),
  name: z.string(),
  contentType: z.string(),
  size: z.bigint(),
  createdAt: z.date(),
  createdBy: z.string(),
  expiresAt: z.date().nullable(),
  deletedAt: z.date().nullable(),
})
export type StoredFile = z.infer<typeof StoredFile>

/** IDs created by the server. Paths are built from them, never from file names of clients. */
export const FileKey = StoredFile.pick({ accountId: true, fileId: true })
export type FileKey = z.infer<typeof FileKey>

const KEPT_FOR_MS = 60 * 60 * 1000
const NAME_LENGTH_MAX = 300

export type NewFile = Omit<StoredFile, 'createdAt' | 'expiresAt' | 'deletedAt'>

/** Returns a new file, which expires after one hour (docs/running/stored-files.md#storing). */
export function createFile(body: NewFile, now: Date): StoredFile {
  return {
    accountId: body.accountId,
    bankAccountId: body.bankAccountId,
    fileId: body.fileId,
    kind: body.kind,
    name: fileName(body.name),
    contentType: body.contentType,
    size: body.size,
    createdAt: now,
    createdBy: body.createdBy,
    expiresAt: new Date(now.getTime() + KEPT_FOR_MS),
    deletedAt: null,
  }
}

/** Returns the last 300 printable characters of the last segment of a path, or `upload`. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const printable = toPrintable(last, { lengthMax: last.length })
  return [...printable].slice(-NAME_LENGTH_MAX).join('') || 'upload'
}
