import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import type { Envelope } from '../envelopes/envelope.ts'

/** One statement for 100,000 rows would exceed the statement timeout. */
const pageSize = 2_000

/**
 * Unassigns all transactions of an envelope, soft-deleted ones too. Runs before the row lock, to
 * keep the lock short: the following save in this transaction closes the envelope, and clears the
 * rows that were assigned meanwhile. A row that was moved to another envelope stays: the outer
 * condition is checked again after a wait.
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
      UPDATE transactions SET spending_id = NULL, spending_amount = NULL
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND spending_id = ${spendingId} AND transaction_id = ANY(ARRAY(
          SELECT transaction_id FROM transactions
          WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
            AND spending_id = ${spendingId}
          LIMIT ${pageSize}))`)
    cleared = rowCount
  }
}
