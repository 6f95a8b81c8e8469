import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { LinkKey } from '../accounts/link.ts'
import { ImportKey } from '../imports/formats/csv/csv-import.ts'
import { FileKey } from '../imports/storage/stored-file.ts'
import { UploadKey } from '../imports/upload.ts'

// Queries across accounts, over partial indexes of unfinished work.

export interface Page {
  /** Only rows that wait since before this instant. */
  before: Date
  /** The last ID of the previous page; empty for the first. */
  after: string
  limit: number
}

/** Uploads that are neither complete nor failed, by ID. */
export function listUnfinishedUploads(
  { pool }: Database,
  { before, after, limit }: Page,
): Promise<readonly UploadKey[]> {
  return pool.any(sql.type(UploadKey)`
    SELECT ${columnsOf(UploadKey, { table: 'uploads' })} FROM uploads
    WHERE status IN ('pending', 'processing') AND transaction_upload_id > ${after}
      AND created_at < ${before.toISOString()}
    ORDER BY transaction_upload_id LIMIT ${limit}`)
}

/** CSV imports in the status pending-preview, by ID. */
export function listPendingPreviews(
  { pool }: Database,
  { before, after, limit }: Page,
): Promise<readonly ImportKey[]> {
  return pool.any(sql.type(ImportKey)`
    SELECT ${columnsOf(ImportKey, { table: 'transaction_imports' })} FROM transaction_imports
    WHERE status = 'pending-preview' AND transaction_import_id > ${after}
      AND updated_at < ${before.toISOString()}
    ORDER BY transaction_import_id LIMIT ${limit}`)
}

/** Deleted links whose clean-up is not finished, by ID. */
export function listUncleanedLinks(
  { pool }: Database,
  { before, after, limit }: Page,
): Promise<readonly LinkKey[]> {
  return pool.any(sql.type(LinkKey)`
    SELECT ${columnsOf(LinkKey, { table: 'links' })} FROM links
    WHERE deleted_at < ${before.toISOString()} AND cleaned_at IS NULL AND link_id > ${after}
    ORDER BY link_id LIMIT ${limit}`)
}

/** Files past `expiresAt`, unless their import is unfinished. */
export function listExpiredFiles(
  { pool }: Database,
  { before, after, limit }: Page,
): Promise<readonly FileKey[]> {
  return pool.any(sql.type(FileKey)`
    SELECT ${columnsOf(FileKey, { table: 'files' })} FROM files
    WHERE deleted_at IS NULL AND expires_at < ${before.toISOString()} AND file_id > ${after}
      AND NOT EXISTS (
        SELECT FROM uploads
        WHERE uploads.account_id = files.account_id AND uploads.file_id = files.file_id
          AND status IN ('pending', 'processing'))
    ORDER BY file_id LIMIT ${limit}`)
}

/** The files among `keys` that are not marked deleted: their bytes must stay. */
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
