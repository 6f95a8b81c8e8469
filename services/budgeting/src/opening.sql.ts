import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import { Spending } from './spending.ts'

const Opening = Spending.pick({ accountId: true, bankAccountId: true, spendingId: true })
export type Opening = Pick<Spending, keyof typeof Opening.shape>

/** Plans whose opening has stopped half-way, oldest first. */
export function staleOpenings(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<readonly Opening[]> {
  return pool.any(sql.type(Opening)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId",
      spending_id AS "spendingId"
    FROM spending WHERE state = 'opening' AND created_at < ${before.toISOString()}
    ORDER BY created_at LIMIT ${limit}`)
}

/** Opens the plan, or removes it where it has no envelope. */
export async function endOpening(
  { pool }: Database,
  { accountId, bankAccountId, spendingId }: Opening,
  hasEnvelope: boolean,
): Promise<void> {
  const statement = hasEnvelope
    ? sql.fragment`UPDATE spending SET state = 'open', revision = revision + 1`
    : sql.fragment`DELETE FROM spending`
  await pool.query(sql.unsafe`
    ${statement} WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND spending_id = ${spendingId} AND state = 'opening'`)
}
