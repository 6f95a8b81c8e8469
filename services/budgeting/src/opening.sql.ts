import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { sql } from 'slonik'
import type { PlanScope } from './spending.sql.ts'
import { FundedSpending, ReservedSpending, Spending } from './spending.ts'

const Opening = Spending.pick({
  accountId: true,
  bankAccountId: true,
  spendingId: true,
  revision: true,
})
export type Opening = Pick<Spending, keyof typeof Opening.shape>

const columns = columnsOf(Spending, { table: 'spending' })
const reserved = columnsOf(ReservedSpending, { table: 'spending' })

/**
 * The plan that an earlier attempt of the same request has left. While it is opening its revision
 * rises, so that the earlier attempt no longer drops it.
 */
export function adoptOpening(
  { pool }: Database,
  accountId: string,
  openingKey: string,
): Promise<ReservedSpending | null> {
  return pool.maybeOne(sql.type(ReservedSpending)`
    UPDATE spending SET revision = revision + (state = 'opening')::int
    WHERE account_id = ${accountId} AND opening_key = ${openingKey}
    RETURNING ${reserved}`)
}

/**
 * Opens a plan whose envelope is there, and keeps its schedule as it is until the transaction ends;
 * null when the plan is gone.
 */
export function openSpending(
  tx: Tx,
  { accountId, bankAccountId }: PlanScope,
  spendingId: string,
): Promise<FundedSpending | null> {
  const scope = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const plan = sql.fragment`${scope} AND spending_id = ${spendingId}`
  return tx.maybeOne(sql.type(FundedSpending)`
    WITH schedule AS MATERIALIZED (
      SELECT ruleset, exclude_weekends, next_recurrence FROM funding_schedules
      WHERE ${scope}
        AND funding_schedule_id = (SELECT funding_schedule_id FROM spending WHERE ${plan})
      FOR SHARE
    )
    UPDATE spending SET state = 'open', revision = revision + 1 FROM schedule WHERE ${plan}
    RETURNING ${columns}, schedule.ruleset AS "fundingRuleset",
      schedule.exclude_weekends AS "fundingExcludesWeekends",
      schedule.next_recurrence AS "fundingNextRecurrence"`)
}

/** Plans whose opening has stopped half-way, oldest first. */
export function staleOpenings(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<readonly Opening[]> {
  return pool.any(sql.type(Opening)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId",
      spending_id AS "spendingId", revision
    FROM spending WHERE state = 'opening' AND created_at < ${before.toISOString()}
    ORDER BY created_at LIMIT ${limit}`)
}

/** Removes a plan that is not open, unless another attempt has adopted it meanwhile. */
export async function dropOpening(
  { pool }: Database,
  { accountId, bankAccountId, spendingId, revision }: Opening,
): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM spending WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND spending_id = ${spendingId} AND state = 'opening' AND revision = ${revision}`)
}

/** Forgets the keys of requests that are too old to be repeated; returns how many. */
export async function forgetKeys(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE spending SET opening_key = NULL, opening_body = NULL
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM spending
      WHERE opening_key IS NOT NULL AND created_at < ${before.toISOString()} LIMIT ${limit}))`)
  return rowCount
}
