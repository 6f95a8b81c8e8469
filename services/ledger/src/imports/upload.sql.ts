import type { Database, Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, entityOf, insertOf } from '@coffer/kit/database/rows'
import { type Change, emit, insertChanges } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { type AccountSettings, insertSettings } from '../accounts/account-settings.sql.ts'
import type { UploadKey } from '../book/upload-key.ts'
import type { ReadingChoices } from './formats/reading-choices.ts'
import { StoredFile } from './storage/stored-file.ts'
import { Upload } from './upload.ts'

const columns = columnsOf(Upload, { table: 'uploads' })
// NOT IN instead of IN ('pending', …): the planner then cannot choose the partial index
// `uploads_unfinished`, and uses the primary key, which is faster for one upload.
const isUnfinished = sql.fragment`status NOT IN ('complete', 'failed')`

const countColumns = [
  ...(['importedCount', 'skippedCount', 'rowCount', 'knownCount'] as const),
  'joinedCount' as const,
]

const ShownBy = z.object({ type: z.enum(['import', 'upload_group']), objectId: z.string() })

/**
 * Emits changes of an upload, and of the CSV import or upload group that shows it. Call it after
 * the statement that writes the upload, because it reads the tables.
 */
export async function tellUpload(
  tx: Tx,
  key: UploadKey,
  { type, now }: { type: 'upload.created' | 'upload.updated'; now: Date },
): Promise<void> {
  const { accountId, bankAccountId, transactionUploadId } = key
  const shownBy = await tx.any(sql.type(ShownBy)`
    SELECT 'import' AS type, transaction_import_id AS "objectId" FROM transaction_imports
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_upload_id = ${transactionUploadId}
    UNION ALL
    SELECT 'upload_group', upload_group_id FROM uploads
    WHERE ${isUpload(key)} AND upload_group_id IS NOT NULL`)
  const others = shownBy.map(({ type: kind, objectId }) => {
    const of = kind === 'import' ? { bankAccountId } : {}
    return { type: `${kind}.updated` as const, objectId, ...of }
  })
  const objects = [{ type, objectId: transactionUploadId, bankAccountId }, ...others]
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

/** Inserts a file, its upload, changes to publish, and the account settings for the import. */
export async function insertUpload(
  tx: Tx,
  stored: { file: StoredFile; upload: Upload; settings: AccountSettings; changes: Change[] },
): Promise<void> {
  await tx.query(sql.unsafe`
    WITH known AS (${insertSettings(stored.settings)}),
      emitted AS (${insertChanges(stored.changes)}),
      stored AS (${insertOf('files', StoredFile, stored.file)})
    ${insertOf('uploads', Upload, stored.upload)}`)
  const { createdAt: now } = stored.upload
  await tellUpload(tx, stored.upload, { type: 'upload.created', now })
}

/** Returns the upload; null if it is unknown or the link of its bank account is deleted. */
export function findUpload({ pool }: { pool: Queries }, key: UploadKey): Promise<Upload | null> {
  return pool.maybeOne(sql.type(Upload)`
    SELECT ${columns} FROM uploads JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE ${isUpload(key)} AND removed_at IS NULL`)
}

/** A page of a list, newest ID first; `before` is the cursor: an exclusive upper bound of IDs. */
export type NewestPage = { bankAccountId: string; before: string | null; limit: number }

/** Lists the uploads to a bank account, each with its file, newest first. */
export async function listUploads(
  { pool }: Database,
  accountId: string,
  { bankAccountId, before, limit }: NewestPage,
): Promise<{ upload: Upload; file: StoredFile }[]> {
  const rows = await pool.any(sql.type(Upload.extend({ file: z.record(z.string(), z.unknown()) }))`
    SELECT ${columns}, to_jsonb(files) AS file
    FROM uploads JOIN files
      ON files.account_id = uploads.account_id AND files.file_id = uploads.file_id
    WHERE uploads.account_id = ${accountId} AND uploads.bank_account_id = ${bankAccountId}
      ${before === null ? sql.fragment`` : sql.fragment`AND transaction_upload_id < ${before}`}
    ORDER BY transaction_upload_id DESC LIMIT ${limit}`)
  return rows.map(({ file, ...upload }) => ({ upload, file: entityOf(StoredFile, file) }))
}

/** Returns whether the import of an upload is not finished. */
export function isUnfinishedUpload({ pool }: Database, key: UploadKey): Promise<boolean> {
  return pool.exists(sql.unsafe`SELECT FROM uploads WHERE ${isUpload(key)} AND ${isUnfinished}`)
}

/** Marks an upload as processing. Returns false if it is finished. */
export function startUpload(database: Database, key: UploadKey, now: Date): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql.unsafe`
      UPDATE uploads SET status = 'processing', processed_at = coalesce(processed_at, ${at(now)})
      WHERE ${isUpload(key)} AND ${isUnfinished}`)
    if (rowCount > 0) await tellUpload(tx, key, { type: 'upload.updated', now })
    return rowCount > 0
  })
}

/** Locks the row of an upload against other workers; returns null if the upload is finished. */
export function lockUnfinished(tx: Tx, key: UploadKey): Promise<Upload | null> {
  return tx.maybeOne(sql.type(Upload)`
    SELECT ${columns} FROM uploads
    WHERE ${isUpload(key)} AND ${isUnfinished} FOR UPDATE`)
}

type OfBankAccount = Pick<UploadKey, 'accountId' | 'bankAccountId'>

/** Takes the advisory lock on a bank account's imports; returns false if it is held already. */
export function tryLockImports(connection: Queries, key: OfBankAccount): Promise<boolean> {
  return connection.oneFirst(sql.type(z.object({ isLocked: z.boolean() }))`
    SELECT pg_try_advisory_xact_lock(${importsOf(key)}) AS "isLocked"`)
}

/** Waits for the advisory lock on a bank account's imports: an undo must see all their joins. */
export async function lockImports(tx: Tx, key: OfBankAccount): Promise<void> {
  await tx.query(sql.unsafe`SELECT pg_advisory_xact_lock(${importsOf(key)})`)
}

function importsOf({ accountId, bankAccountId }: OfBankAccount): FragmentSqlToken {
  return sql.fragment`hashtextextended(${`imports ${accountId} ${bankAccountId}`}, 0)`
}

export async function completeUpload(
  tx: Tx,
  key: UploadKey,
  done: Pick<
    Upload,
    (typeof countColumns)[number] | 'skipped' | 'balancesAsOf' | 'joins' | 'note'
  > & {
    accountDigits: string | null
    now: Date
  },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE uploads SET status = 'complete', completed_at = ${at(done.now)},
      ${assignmentsOf(done, countColumns)}, skipped = ${sql.jsonb(done.skipped)},
      joins = coalesce(${sql.jsonb(done.joins)}::jsonb, joins),
      account_digits = ${done.accountDigits}, note = ${done.note},
      balances_as_of = ${done.balancesAsOf?.toISOString() ?? null}, owed_is_negative = true
    WHERE ${isUpload(key)}`)
  await tellUpload(tx, key, { type: 'upload.updated', now: done.now })
}

/** Marks an unfinished upload as failed, with the error for the user and its skipped rows. */
export async function failUpload(
  database: Database,
  key: UploadKey,
  failed: Pick<Upload, 'asks' | 'skipped' | 'statements'> & { error: string; now: Date },
): Promise<void> {
  const { error, asks, skipped, statements, now } = failed
  await database.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql.unsafe`
      UPDATE uploads SET status = 'failed', error = ${error}, asks = ${asks},
        ${assignmentsOf(failedCounts(skipped), countColumns)}, skipped = ${sql.jsonb(skipped)},
        statements = coalesce(${sql.jsonb(statements)}::jsonb, statements),
        completed_at = ${at(now)}
      WHERE ${isUpload(key)} AND ${isUnfinished}`)
    if (rowCount > 0) await tellUpload(tx, key, { type: 'upload.updated', now })
  })
}

/**
 * Compare-and-set on an upload that needs a choice and whose file is stored: stores choices, joins
 * (null keeps the stored ones), the `changes` to publish, and status `pending`. Else returns false.
 */
export async function restartUpload(
  tx: Tx,
  key: UploadKey,
  {
    choices,
    joins,
    changes,
    now,
  }: { choices: ReadingChoices; joins: Upload['joins']; changes: Change[]; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE uploads SET status = 'pending', error = NULL, asks = NULL, completed_at = NULL,
      processed_at = NULL, row_count = NULL, known_count = NULL, joined_count = NULL,
      skipped = NULL, skipped_count = 0, choices = ${sql.jsonb(choices)},
      joins = coalesce(${sql.jsonb(joins)}::jsonb, joins)
    WHERE ${isUpload(key)} AND status = 'failed' AND asks IS NOT NULL AND EXISTS (
      SELECT FROM files WHERE files.account_id = uploads.account_id
        AND files.file_id = uploads.file_id AND deleted_at IS NULL)`)
  if (rowCount === 0) return false
  await emit(tx, ...changes)
  await tellUpload(tx, key, { type: 'upload.updated', now })
  return true
}

/** Marks a complete upload as undone. Returns false if it is undone already, or not complete. */
export async function markUndone(tx: Tx, key: UploadKey, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE uploads SET undone_at = ${at(now)}
    WHERE ${isUpload(key)} AND status = 'complete' AND undone_at IS NULL`)
  if (rowCount > 0) await tellUpload(tx, key, { type: 'upload.updated', now })
  return rowCount > 0
}

const ListedFile = StoredFile.omit({ bankAccountId: true })

/** Returns the files of an account whose bytes are still stored, newest first. */
export function listFiles({ pool }: Database, accountId: string, limit: number) {
  return pool.any(sql.type(ListedFile)`
    SELECT ${columnsOf(ListedFile, { table: 'files' })}
    FROM files LEFT JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE files.account_id = ${accountId} AND files.deleted_at IS NULL AND removed_at IS NULL
    ORDER BY file_id DESC LIMIT ${limit}`)
}

const OfFile = z.object({
  type: z.enum(['upload', 'import', 'upload_group']),
  objectId: z.string(),
  bankAccountId: z.string().nullable(),
})

/** Marks a file as deleted; the caller must first remove its bytes from storage. */
export function markFileDeleted(
  database: Database,
  { accountId, fileId }: Pick<Upload, 'accountId' | 'fileId'>,
  now: Date,
): Promise<void> {
  const isOf = sql.fragment`account_id = ${accountId} AND file_id = ${fileId}`
  return database.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql.unsafe`
      UPDATE files SET deleted_at = ${at(now)} WHERE ${isOf} AND deleted_at IS NULL`)
    if (rowCount === 0) return
    const found = await tx.any(sql.type(OfFile)`
      SELECT 'upload' AS type, transaction_upload_id AS "objectId",
        bank_account_id AS "bankAccountId" FROM uploads WHERE ${isOf}
      UNION ALL
      SELECT 'import', transaction_import_id, bank_account_id FROM transaction_imports WHERE ${isOf}
      UNION ALL
      SELECT 'upload_group', upload_group_id, NULL FROM upload_groups WHERE ${isOf}`)
    const objects = found.map(({ type, objectId, bankAccountId }) => {
      const of = bankAccountId === null ? {} : { bankAccountId }
      return { type: `${type}.updated` as const, objectId, ...of }
    })
    await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
  })
}

/** Returns the counts of a failed upload, whose rows are all skipped; null if no row was parsed. */
function failedCounts(skipped: Upload['skipped']): Pick<Upload, (typeof countColumns)[number]> {
  const all = BigInt((skipped ?? []).reduce((sum, { count }) => sum + count, 0))
  const [rowCount, none] = skipped === null ? [null, null] : [all, 0n]
  return { importedCount: 0n, skippedCount: all, rowCount, knownCount: none, joinedCount: none }
}

function isUpload(key: UploadKey): FragmentSqlToken {
  const { accountId, bankAccountId, transactionUploadId } = key
  return sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    AND transaction_upload_id = ${transactionUploadId}`
}

function at(instant: Date): string {
  return instant.toISOString()
}
