import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import { Account } from './account.ts'

/** A page of all accounts, in the order of their IDs. */
export async function accountsAfter(
  { pool }: Database,
  accountId: string,
  pageSize: number,
): Promise<readonly Account[]> {
  return pool.any(sql.type(Account)`
    SELECT account_id AS "accountId", timezone, locale, version, created_at AS "createdAt"
    FROM accounts WHERE account_id > ${accountId} ORDER BY account_id LIMIT ${pageSize}`)
}
