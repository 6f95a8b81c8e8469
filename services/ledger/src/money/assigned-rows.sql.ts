import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import type { Envelope } from '../book/envelope.ts'

/** Rows per statement: one statement for 100,000 rows would exceed the statement timeout. */
const pageSize = 2_000

/**
 * Unassigns all transactions of an envelope, soft-deleted ones too. It runs before the bank account
 * is locked, to keep the lock short; the save that closes the envelope unassigns transactions that
 * were assigned in between. The outer condition on `spending_id` skips rows that changed during a
 * lock wait.
 */
export async function unassignAll(
  tx: Tx,
  {
    accountId,
    bankAccountId,
    spendingId,
  }: Pick<Envelope, 'accountId' | 'bankAccountId' | 'spendingId'>,
): Promise<void> {
  let cleared = pageSize
  while (cleared > 0) {
    const { rowCount } = await tx.query(sql.unsafe`
      UPDATE transactions SET spending_id = NULL, spending_amount = NULL, refund_amount = NULL
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND spending_id = ${spendingId} AND transaction_id = ANY(ARRAY(
          SELECT transaction_id FROM transactions
          WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
            AND spending_id = ${spendingId}
          LIMIT ${pageSize}))`)
    cleared = rowCount
  }
}
