import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { LinkKey } from '../book/link.ts'
import { UploadKey } from '../book/upload-key.ts'
import { ImportKey } from '../imports/formats/csv/csv-import.ts'
import { FileKey } from '../imports/storage/stored-file.ts'

export interface Page {
  /** Only rows that were created, changed or deleted, or expired, before this instant. */
  before: Date
  /** The last ID of the previous page; empty for the first page. */
  after: string
  limit: number
}

/** Lists uploads that are neither complete nor failed, ordered by ID. */
export function listUnfinishedUploads({ pool }: Database, page: Page) {
  return pool.any(sql.type(UploadKey)`
    SELECT ${columnsOf(UploadKey, { table: 'uploads' })} FROM uploads
    WHERE status IN ('pending', 'processing')
      AND ${onPage('created_at', 'transaction_upload_id', page)}`)
}

/** Lists CSV imports in the status pending-preview, ordered by ID. */
export function listPendingPreviews({ pool }: Database, page: Page) {
  return pool.any(sql.type(ImportKey)`
    SELECT ${columnsOf(ImportKey, { table: 'transaction_imports' })} FROM transaction_imports
    WHERE status = 'pending-preview' AND ${onPage('updated_at', 'transaction_import_id', page)}`)
}

/** Lists deleted links whose clean-up is not finished, ordered by ID. */
export function listUncleanedLinks({ pool }: Database, page: Page) {
  return pool.any(sql.type(LinkKey)`
    SELECT ${columnsOf(LinkKey, { table: 'links' })} FROM links
    WHERE cleaned_at IS NULL AND ${onPage('deleted_at', 'link_id', page)}`)
}

/** Lists files past `expiresAt`, unless their import is unfinished, ordered by ID. */
export function listExpiredFiles({ pool }: Database, page: Page) {
  return pool.any(sql.type(FileKey)`
    SELECT ${columnsOf(FileKey, { table: 'files' })} FROM files
    WHERE deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM uploads
        WHERE uploads.account_id = files.account_id AND uploads.file_id = files.file_id
          AND status IN ('pending', 'processing'))
      AND ${onPage('expires_at', 'file_id', page)}`)
}

/** Returns the conditions, ORDER BY and LIMIT of a page; `since` and `id` are column names. */
function onPage(since: string, id: string, { before, after, limit }: Page): FragmentSqlToken {
  const key = sql.identifier([id])
  return sql.fragment`${sql.identifier([since])} < ${before.toISOString()} AND ${key} > ${after}
    ORDER BY ${key} LIMIT ${limit}`
}

/** Lists the files among `keys` that are not marked as deleted: their bytes must be kept. */
export async function listKeptFiles(
  { pool }: Database,
  keys: readonly FileKey[],
): Promise<readonly FileKey[]> {
  if (keys.length === 0) return []
  return pool.any(sql.type(FileKey)`
    SELECT account_id AS "accountId", file_id AS "fileId"
    FROM files JOIN ${sql.unnest(
      keys.map(({ accountId, fileId }) => [accountId, fileId]),
      ['text', 'text'],
    )} AS held (account_id, file_id) USING (account_id, file_id)
    WHERE deleted_at IS NULL`)
}
