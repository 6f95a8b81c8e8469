import type { Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'

/**
 * Stores that a webhook was handled, in the transaction of its effect, by `hashToken`.
 * Returns false if another transaction has done so, after it has ended.
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
