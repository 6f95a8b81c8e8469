import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { Transaction } from './transaction.ts'

const columns = columnsOf(Transaction, { table: 'transactions' })
const Nothing = z.object({ transactionId: z.null() })

export interface TransactionPage {
  bankAccountId: string
  /** Only those spent from this envelope. */
  spendingId: string | null
  limit: number
  offset: number
}

// The owner stands in every row, so that an empty page is told from a missing owner.
const pageOfAccount = prepare(
  ['accountId', 'bankAccountId', 'limit', 'offset'],
  ({ accountId, bankAccountId, limit, offset }) => sql.type(z.union([Transaction, Nothing]))`
    SELECT ${columns}
    FROM bank_accounts AS owner LEFT JOIN LATERAL (
      SELECT * FROM transactions
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND deleted_at IS NULL
      ORDER BY date DESC, transaction_id DESC LIMIT ${limit}::int OFFSET ${offset}::int
    ) AS transactions ON true
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL
    ORDER BY transactions.date DESC, transactions.transaction_id DESC`,
)

const pageOfEnvelope = prepare(
  ['accountId', 'bankAccountId', 'spendingId', 'limit', 'offset'],
  ({ accountId, bankAccountId, spendingId, limit, offset }) =>
    sql.type(z.union([Transaction, Nothing]))`
    SELECT ${columns}
    FROM bank_accounts AS owner JOIN envelopes AS envelope USING (account_id, bank_account_id)
    LEFT JOIN LATERAL (
      SELECT * FROM transactions
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND spending_id = ${spendingId} AND deleted_at IS NULL
      ORDER BY date DESC, transaction_id DESC LIMIT ${limit}::int OFFSET ${offset}::int
    ) AS transactions ON true
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL
      AND envelope.spending_id = ${spendingId} AND envelope.closed_at IS NULL
    ORDER BY transactions.date DESC, transactions.transaction_id DESC`,
)

/**
 * A page of live transactions, newest date first, then newest ID; null where there is no such bank
 * account (or no such open envelope in it).
 */
export async function listTransactions(
  { pool }: Database,
  accountId: string,
  { spendingId, ...page }: TransactionPage,
): Promise<readonly Transaction[] | null> {
  const rows = await pool.any(
    spendingId
      ? pageOfEnvelope({ ...page, accountId, spendingId })
      : pageOfAccount({ ...page, accountId }),
  )
  return rows.length === 0 ? null : rows.filter((row) => row.transactionId !== null)
}

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

/** Takes a deleted funding schedule off the transactions it made; repeated, it changes nothing. */
export async function forgetSchedule(
  { pool }: Database,
  accountId: string,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE transactions SET created_by_funding_schedule_id = NULL
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND created_by_funding_schedule_id = ${fundingScheduleId}`)
}
