import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { LinkKey } from '../book/link.ts'
import { FileKey } from '../imports/storage/stored-file.ts'
import { removeBankAccounts } from '../money/removal.sql.ts'

/** Marks all links of an account as deleted and their bank accounts as removed. */
export async function endLinks(database: Database, accountId: string, now: Date): Promise<void> {
  const at = now.toISOString()
  await database.transaction(async (tx) => {
    await tx.query(sql.unsafe`
      WITH locked AS MATERIALIZED (
        SELECT link_id FROM links WHERE account_id = ${accountId} AND deleted_at IS NULL
        ORDER BY link_id FOR NO KEY UPDATE
      )
      UPDATE links SET deleted_at = ${at}, updated_at = ${at}
      FROM locked WHERE account_id = ${accountId} AND links.link_id = locked.link_id`)
    await removeBankAccounts(tx, { accountId }, now)
  })
}

/** Lists at most `limit` deleted links of an account whose clean-up is not finished. */
export function listUncleaned(
  { pool }: Database,
  accountId: string,
  limit: number,
): Promise<readonly LinkKey[]> {
  return pool.any(sql.type(LinkKey)`
    SELECT account_id AS "accountId", link_id AS "linkId" FROM links
    WHERE account_id = ${accountId} AND deleted_at IS NOT NULL AND cleaned_at IS NULL
    ORDER BY link_id LIMIT ${limit}`)
}

/**
 * Lists all stored files of an account that belong to no bank account. They are few (`groupBound`).
 */
export function listGroupFiles({ pool }: Database, accountId: string): Promise<readonly FileKey[]> {
  return pool.any(sql.type(FileKey)`
    SELECT account_id AS "accountId", file_id AS "fileId" FROM files
    WHERE account_id = ${accountId} AND bank_account_id IS NULL AND deleted_at IS NULL`)
}
