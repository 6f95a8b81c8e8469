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
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = database.transaction(async (tx) => {
    await tx.query(sql.unsafe`
      SELECT FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} FOR NO KEY UPDATE`)
    locked.resolve()
    await released.promise
    await tx.query(change)
  })
  await Promise.race([locked.promise, holding])
  return {
    release: () => {
      released.resolve()
      return holding
    },
  }
}

/**
 * Locks one of `rows` in a database transaction. The returned function executes the statement
 * `change`, if given, in the same transaction and commits it.
 */
export async function hold(
  database: Database,
  rows: FragmentSqlToken,
): Promise<(change?: QuerySqlToken) => Promise<void>> {
  const locked = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<QuerySqlToken | undefined>()
  const holding = database.transaction(async (tx) => {
    await tx.query(sql.unsafe`SELECT FROM ${rows} LIMIT 1 FOR UPDATE`)
    locked.resolve()
    const change = await isOver.promise
    if (change) await tx.query(change)
  })
  await locked.promise
  return (change) => {
    isOver.resolve(change)
    return holding
  }
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
