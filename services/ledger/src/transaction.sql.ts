import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
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

/**
 * A page of live transactions, newest date first, then newest ID; null where there is no such bank
 * account (or no such open envelope in it).
 */
export async function listTransactions(
  { pool }: Database,
  accountId: string,
  page: TransactionPage,
): Promise<readonly Transaction[] | null> {
  const { bankAccountId, spendingId, limit, offset } = page
  const owner = spendingId
    ? sql.fragment`
        SELECT FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
        WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
          AND removed_at IS NULL AND spending_id = ${spendingId} AND closed_at IS NULL`
    : sql.fragment`
        SELECT FROM bank_accounts
        WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
          AND removed_at IS NULL`
  const spent = spendingId ? sql.fragment`AND spending_id = ${spendingId}` : sql.fragment``
  // The owner stands in every row, so that an empty page is told from a missing owner.
  const rows = await pool.any(sql.type(z.union([Transaction, Nothing]))`
    SELECT ${columns}
    FROM (${owner}) AS owner LEFT JOIN LATERAL (
      SELECT * FROM transactions
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND deleted_at IS NULL ${spent}
      ORDER BY date DESC, transaction_id DESC LIMIT ${limit} OFFSET ${offset}
    ) AS transactions ON true
    ORDER BY transactions.date DESC, transactions.transaction_id DESC`)
  return rows.length === 0 ? null : rows.filter((row) => row.transactionId !== null)
}

/** The transaction, soft-deleted or not, unless its bank account's link is deleted. */
export function findTransaction(
  { pool }: Database,
  accountId: string,
  { bankAccountId, transactionId }: { bankAccountId: string; transactionId: string },
): Promise<Transaction | null> {
  return pool.maybeOne(sql.type(Transaction)`
    SELECT ${columns} FROM transactions JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_id = ${transactionId} AND removed_at IS NULL`)
}
