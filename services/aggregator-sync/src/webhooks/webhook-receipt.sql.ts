import type { Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'

/**
 * Idempotency: stores the receipt of a webhook by `hashToken`, in the transaction of its effect.
 * Returns false if another transaction has stored it; waits for a concurrent one to end.
 */
export async function insertReceipt(
  tx: Transaction,
  tokenHash: Buffer,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    INSERT INTO webhook_receipts (token_hash, received_at)
    VALUES (${sql.binary(tokenHash)}, ${sql.timestamp(now)}) ON CONFLICT DO NOTHING`)
  return rowCount === 1
}
