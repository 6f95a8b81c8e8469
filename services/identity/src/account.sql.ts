import type { Database } from '@coffer/kit/database'
import { notFound } from '@coffer/kit/errors'
import { sql } from 'slonik'
import { Account } from './account.ts'

/** Throws notFound. */
export async function getAccount({ pool }: Database, accountId: string): Promise<Account> {
  const account = await pool.maybeOne(sql.type(Account)`
    SELECT account_id AS "accountId", timezone, locale, version, created_at AS "createdAt"
    FROM accounts WHERE account_id = ${accountId}`)
  if (!account) throw notFound('account')
  return account
}
