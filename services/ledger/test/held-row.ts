import { holdTransaction } from '@coffer/host/testing/boot'
import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, type QuerySqlToken, sql } from 'slonik'

/**
 * Locks the row of a bank account in a database transaction. The returned function `release`
 * executes the statement `change` in the same transaction and commits it.
 */
export async function holdRow(
  database: Database,
  { accountId, bankAccountId }: BankAccountKey,
  change: QuerySqlToken,
): Promise<{ release: () => Promise<void> }> {
  const row = sql.unsafe`
    SELECT FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} FOR NO KEY UPDATE`
  const { release } = await holdTransaction(database, row)
  return { release: () => release(change) }
}

/**
 * Locks one of `rows` in a database transaction. The returned function executes the statement
 * `change`, if given, in the same transaction and commits it.
 */
export async function hold(
  database: Database,
  rows: FragmentSqlToken,
): Promise<(change?: QuerySqlToken) => Promise<void>> {
  const one = sql.unsafe`SELECT FROM ${rows} LIMIT 1 FOR UPDATE`
  const { release } = await holdTransaction(database, one)
  return release
}

/**
 * Returns whether no transaction locks the row of the bank account, not even by the weakest lock
 * (FOR KEY SHARE, which a foreign key takes).
 */
export async function isFree(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    SELECT FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    FOR UPDATE SKIP LOCKED`)
  return rowCount === 1
}
