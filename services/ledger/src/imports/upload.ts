import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { UploadKey } from '../book/upload-key.ts'
import { detectKind, fileKinds } from './formats/file-kind.ts'
import { ReadingChoices } from './formats/reading-choices.ts'
import { ListedStatement, SkippedRows } from './formats/statement.ts'
import { NamedJoin } from './joining/row-joins.ts'
import { createFile, type NewFile, type StoredFile } from './storage/stored-file.ts'

/** The import of one file (docs/files.md#uploading). `error` is set exactly in status `failed`. */
export const Upload = UploadKey.extend({
  fileId: z.string(),
  format: z.enum(fileKinds),
  status: z.enum(values['Upload.status']),
  error: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  processedAt: z.date().nullable(),
  completedAt: z.date().nullable(),
  importedCount: z.bigint(),
  skippedCount: z.bigint(),
  /** Number of rows in the file; null before the end, and for imports of former releases. */
  rowCount: z.bigint().nullable(),
  knownCount: z.bigint().nullable(),
  joinedCount: z.bigint().nullable(),
  skipped: z.array(SkippedRows).nullable(),
  /** The accounts in a file of several accounts; null for other files. */
  statements: z.array(ListedStatement).nullable(),
  undoneAt: z.date().nullable(),
  choices: ReadingChoices.nullable(),
  /** The choice that the client must state for a failed upload; its file is kept until then. */
  asks: z.enum(values['Upload.asks']).nullable(),
  /** The instant of the balances in the file; null if the file states none. */
  balancesAsOf: z.date().nullable(),
  /** Groups the uploads from one file of several accounts (docs/files.md#all-accounts), or null. */
  uploadGroupId: z.string().nullable(),
  /** The joins that the client named, with results once the import is complete; null if none. */
  joins: z.array(NamedJoin).nullable(),
  /** A hint for the user, such as that the file may be cut; null without one. */
  note: z.string().nullable(),
})
export type Upload = z.infer<typeof Upload>

export type NewUpload = Omit<NewFile, 'kind'> &
  Pick<Upload, 'transactionUploadId' | 'format' | 'choices'>

/**
 * Returns a file's format (docs/files.md#kinds); throws `invalid` if it is empty, CSV or unknown.
 */
export function detectFormat({
  name,
  head,
}: {
  name: string
  head: Uint8Array
}): Exclude<Upload['format'], 'csv'> {
  if (head.length === 0) throw invalid({ data: say('EMPTY') })
  const format = detectKind({ name, head })
  if (format === null) {
    const kinds =
      'an OFX, QFX, QBO, CAMT, MT940, MT942, QIF or ZIP file, or an export of this program'
    throw invalid({ data: say('FILE_KIND', { kinds }) })
  }
  if (format === 'csv') {
    const text = say('FILE_NEEDS_MAPPING')
    throw invalid({ data: text })
  }
  return format
}

/** Throws `refused` unless a failed upload asks for a choice. */
export function requireAsking({ status, asks }: Upload): void {
  if (status !== 'failed' || asks === null) {
    throw refused(say('UPLOAD_WITHOUT_CHOICE', { status }))
  }
}

/** Choices to read a file again, and joins that replace the stored ones unless undefined. */
export type Again = { choices: ReadingChoices; joins: readonly NamedJoin[] | undefined }

/** Returns whether the file is, or was, read by these choices and joins. */
export function isReadBy({ asks, ...upload }: Upload, stated: Again): boolean {
  const entries = Object.entries(stated.choices)
  const stored = new Map(Object.entries(upload.choices ?? {}))
  const named = (joins: readonly NamedJoin[] | null) =>
    JSON.stringify((joins ?? []).map((one) => [one.uploadIdentifier, one.transactionId]))
  const isSame = stated.joins === undefined || named(stated.joins) === named(upload.joins)
  return (
    asks === null &&
    entries.length > 0 &&
    entries.every(([key, one]) => stored.get(key) === one) &&
    isSame
  )
}

/** Returns the stored note, else for QIF a note that the format has no balances, else null. */
export function noteOf({ format, note }: Pick<Upload, 'format' | 'note'>): string | null {
  return note ?? (format === 'qif' ? say('QIF_WITHOUT_BALANCES') : null)
}

/** Returns a new file and its upload in status `pending`. */
export function createUpload(body: NewUpload, now: Date): { file: StoredFile; upload: Upload } {
  const file = createFile({ ...body, kind: 'transactions/uploads' }, now)
  return { file, upload: newUpload(file, body, now) }
}

/** Returns a new upload of a stored file, in status `pending`. */
export function newUpload(
  { accountId, bankAccountId, fileId }: Pick<StoredFile, 'accountId' | 'bankAccountId' | 'fileId'>,
  of: Pick<Upload, 'transactionUploadId' | 'format' | 'createdBy' | 'choices'>,
  now: Date,
): Upload {
  const { transactionUploadId, format, createdBy, choices } = of
  return {
    accountId,
    bankAccountId,
    transactionUploadId,
    fileId,
    format,
    status: 'pending',
    error: null,
    createdAt: now,
    createdBy,
    processedAt: null,
    completedAt: null,
    importedCount: 0n,
    skippedCount: 0n,
    rowCount: null,
    knownCount: null,
    joinedCount: null,
    skipped: null,
    statements: null,
    undoneAt: null,
    choices,
    asks: null,
    balancesAsOf: null,
    uploadGroupId: null,
    joins: null,
    note: null,
  }
}
