import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { type QuerySqlToken, sql } from 'slonik'

/** Locks the row of a bank account until `release`, which runs `change` and commits. */
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
