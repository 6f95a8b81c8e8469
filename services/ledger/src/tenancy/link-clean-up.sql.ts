import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { LinkKey } from '../book/link.ts'
import { FileKey } from '../imports/storage/stored-file.ts'

const Row = z.object({ bankAccountId: z.string() })

/** Lists IDs of a deleted link's bank accounts after the ID `page.after`, in order. */
export async function listRemovedBankAccounts(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
  page: { after: string; limit: number },
): Promise<string[]> {
  const rows = await pool.anyFirst(sql.type(Row)`
    SELECT bank_account_id AS "bankAccountId" FROM bank_accounts
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND removed_at IS NOT NULL
      AND bank_account_id > ${page.after}
    ORDER BY bank_account_id LIMIT ${page.limit}`)
  return [...rows]
}

/** Lists at most `limit` uploaded files of a bank account. */
export async function listFilesOf(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  limit: number,
): Promise<readonly FileKey[]> {
  return pool.any(sql.type(FileKey)`
    SELECT account_id AS "accountId", file_id AS "fileId" FROM files
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} LIMIT ${limit}`)
}

/** Deletes the database rows of `files` and of the uploads that refer to them. */
export async function removeFiles(
  { pool }: Database,
  { accountId }: BankAccountKey,
  files: readonly FileKey[],
): Promise<void> {
  const fileIds = sql.array(
    files.map(({ fileId }) => fileId),
    'text',
  )
  await pool.query(sql.unsafe`
    WITH uploaded AS (
      DELETE FROM uploads WHERE account_id = ${accountId} AND file_id = ANY(${fileIds})
    )
    DELETE FROM files WHERE account_id = ${accountId} AND file_id = ANY(${fileIds})`)
}

const Left = z.object({ isLeft: z.boolean() })

/** Returns whether the link is deleted and its clean-up is not finished. */
export async function isUncleaned(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
): Promise<boolean> {
  // With `deleted_at` in WHERE, Postgres might use a partial index instead of the primary key.
  const isLeft = await pool.maybeOneFirst(sql.type(Left)`
    SELECT deleted_at IS NOT NULL AND cleaned_at IS NULL AS "isLeft" FROM links
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
  return isLeft ?? false
}

/**
 * Marks the clean-up of a deleted link as finished. Skips a link that a database restore has
 * undeleted: its next deletion needs a clean-up.
 */
export async function markCleaned(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE links SET cleaned_at = coalesce(cleaned_at, ${now.toISOString()})
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND deleted_at IS NOT NULL`)
}
