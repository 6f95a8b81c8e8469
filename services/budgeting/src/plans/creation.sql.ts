import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { Spending } from './spending.ts'

const Reserved = Spending.pick({
  accountId: true,
  bankAccountId: true,
  spendingId: true,
  openingAttempts: true,
})
export type Reserved = Pick<Spending, keyof typeof Reserved.shape>

const reserved = sql.fragment`account_id AS "accountId", bank_account_id AS "bankAccountId",
      spending_id AS "spendingId", opening_attempts AS "openingAttempts"`

/** Plans in state `opening` that were created before `before`, the oldest first. */
export function listStaleCreations(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<readonly Reserved[]> {
  return pool.any(sql.type(Reserved)`
    SELECT ${reserved} FROM spending
    WHERE state = 'opening' AND created_at < ${before.toISOString()}
    ORDER BY created_at LIMIT ${limit}`)
}

/** Plans created before `before` that still have an idempotency key. */
export function listOldKeys(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<readonly Reserved[]> {
  return pool.any(sql.type(Reserved)`
    SELECT ${reserved} FROM spending
    WHERE opening_key IS NOT NULL AND created_at < ${before.toISOString()} LIMIT ${limit}`)
}
