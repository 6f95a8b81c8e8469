import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { renewal } from './bank-account-version.sql.ts'
import { Transaction } from './transaction.ts'

const columns = columnsOf(Transaction, { table: 'transactions' })

const transactionById = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  ({ accountId, bankAccountId, transactionId }) => sql.type(Transaction)`
    SELECT ${columns} FROM transactions JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_id = ${transactionId} AND removed_at IS NULL`,
)

/** The transaction, soft-deleted or not, unless its bank account's link is deleted. */
export function findTransaction(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<Transaction | null> {
  return pool.maybeOne(transactionById({ accountId, ...ids }))
}

/**
 * Takes a deleted funding schedule off the transactions it made; repeated, it changes nothing. The
 * row of the bank account is written first, as in every write.
 */
export async function forgetSchedule(
  { pool }: Database,
  accountId: string,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
): Promise<void> {
  const made = sql.fragment`transactions.account_id = ${accountId}
      AND transactions.bank_account_id = ${bankAccountId}
      AND transactions.created_by_funding_schedule_id = ${fundingScheduleId}`
  await pool.query(sql.unsafe`
    WITH renewed AS (
      ${renewal({ accountId, bankAccountId })} AND EXISTS (SELECT FROM transactions WHERE ${made})
      RETURNING 1
    )
    UPDATE transactions SET created_by_funding_schedule_id = NULL FROM renewed WHERE ${made}`)
}
