import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { columnsOf, insertOf } from '@coffer/kit/database/rows'
import { type Change, insertChanges } from '@coffer/kit/events/changes'
import { type FragmentSqlToken, sql } from 'slonik'
import { type AccountSettings, insertSettings } from '../tenancy/account-settings.sql.ts'
import { StoredFile } from './storage/stored-file.ts'
import { Upload, type UploadKey } from './upload.ts'

const columns = columnsOf(Upload, { table: 'uploads' })
// Not the words of the partial index: one upload is found by its key.
const isUnfinished = sql.fragment`status NOT IN ('complete', 'failed')`

/** Stores a file, its upload, the change that says so and the settings its import will need. */
export async function insertUpload(
  tx: Tx,
  {
    file,
    upload,
    settings,
    changes,
  }: {
    file: StoredFile
    upload: Upload
    settings: AccountSettings
    changes: Change[]
  },
): Promise<void> {
  await tx.query(sql.unsafe`
    WITH known AS (${insertSettings(settings)}), emitted AS (${insertChanges(changes)}),
      stored AS (${insertOf('files', StoredFile, file)})
    ${insertOf('uploads', Upload, upload)}`)
}

/** The upload, unless its bank account's link is deleted. */
export function findUpload({ pool }: Database, key: UploadKey): Promise<Upload | null> {
  return pool.maybeOne(sql.type(Upload)`
    SELECT ${columns} FROM uploads JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE ${isUpload(key)} AND removed_at IS NULL`)
}

/** Whether the import of an upload is still to come, or to be gone on with. */
export function isUnfinishedUpload({ pool }: Database, key: UploadKey): Promise<boolean> {
  return pool.exists(sql.unsafe`SELECT FROM uploads WHERE ${isUpload(key)} AND ${isUnfinished}`)
}

/** Marks an upload as being worked on; false when there is nothing left to do. */
export async function startUpload({ pool }: Database, key: UploadKey, now: Date): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE uploads SET status = 'processing', processed_at = coalesce(processed_at, ${at(now)})
    WHERE ${isUpload(key)} AND ${isUnfinished}`)
  return rowCount > 0
}

/** Locks an upload that is not finished, so that nobody imports it at the same time. */
export function lockUnfinished(tx: Tx, key: UploadKey): Promise<Upload | null> {
  return tx.maybeOne(sql.type(Upload)`
    SELECT ${columns} FROM uploads
    WHERE ${isUpload(key)} AND ${isUnfinished} FOR UPDATE`)
}

/** Ends an upload well. */
export async function completeUpload(
  tx: Tx,
  key: UploadKey,
  done: { importedCount: bigint; skippedCount: bigint; balancesAsOf: Date | null; now: Date },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE uploads SET status = 'complete', completed_at = ${at(done.now)},
      imported_count = ${done.importedCount}, skipped_count = ${done.skippedCount},
      balances_as_of = ${done.balancesAsOf?.toISOString() ?? null}
    WHERE ${isUpload(key)}`)
}

/** Ends an upload with the reason why nothing of it was stored; a finished one stays. */
export async function failUpload(
  { pool }: Database,
  key: UploadKey,
  { error, now }: { error: string; now: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE uploads SET status = 'failed', error = ${error}, completed_at = ${at(now)}
    WHERE ${isUpload(key)} AND ${isUnfinished}`)
}

/** Notes that the bytes of an upload's file are gone. */
export async function markFileDeleted(
  { pool }: Database,
  { accountId, fileId }: Pick<Upload, 'accountId' | 'fileId'>,
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE files SET deleted_at = ${at(now)}
    WHERE account_id = ${accountId} AND file_id = ${fileId} AND deleted_at IS NULL`)
}

/** The condition for what belongs to one upload, the upload itself included. */
export function isUpload(key: UploadKey): FragmentSqlToken {
  const { accountId, bankAccountId, transactionUploadId } = key
  return sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    AND transaction_upload_id = ${transactionUploadId}`
}

function at(instant: Date): string {
  return instant.toISOString()
}
