import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { StoredFile } from './stored-file.ts'

const columns = columnsOf(StoredFile, { table: 'files' })

/**
 * Returns the files of an account whose bytes are kept, the newest first (docs/files.md#storing).
 */
export function listFiles(
  { pool }: Database,
  accountId: string,
  limit: number,
): Promise<readonly StoredFile[]> {
  return pool.any(sql.type(StoredFile)`
    SELECT ${columns} FROM files JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE files.account_id = ${accountId} AND files.deleted_at IS NULL AND removed_at IS NULL
    ORDER BY file_id DESC LIMIT ${limit}`)
}
