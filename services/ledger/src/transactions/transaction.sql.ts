import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { Transaction } from './transaction.ts'

const columns = columnsOf(Transaction, { table: 'transactions' })

const transactionById = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  ({ accountId, bankAccountId, transactionId }) => sql.type(Transaction)`
    SELECT ${columns} FROM transactions JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_id = ${transactionId} AND removed_at IS NULL`,
)

/** The transaction, soft-deleted or not; null if it is missing or its link is deleted. */
export function findTransaction(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<Transaction | null> {
  return pool.maybeOne(transactionById({ accountId, ...ids }))
}
