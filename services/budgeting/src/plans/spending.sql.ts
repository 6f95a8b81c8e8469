import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import { createBatcher } from '@coffer/kit/database/batch'
import type { Database } from '@coffer/kit/database/database'
import { inScope } from '@coffer/kit/database/guarded-read'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundedSpending, ListedColumns, ListedSpending, Spending } from '../book/spending.ts'

const funding = sql.fragment`
  funding_schedules.ruleset AS "fundingRuleset",
  funding_schedules.exclude_weekends AS "fundingExcludesWeekends",
  funding_schedules.next_recurrence AS "fundingNextRecurrence"`

const columns = sql.fragment`${columnsOf(Spending, { table: 'spending' })}, ${funding}`

const listedColumns = sql.fragment`${columnsOf(ListedColumns, { table: 'spending' })}, ${funding}`

// MATERIALIZED: reads the schedules once, not for each plan.
const everyPlan = prepare(
  ['accountId', 'bankAccountId'],
  ({ accountId, bankAccountId }) => read(ListedSpending)`
    WITH funding_schedules AS MATERIALIZED (
      SELECT * FROM funding_schedules
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    )
    SELECT ${listedColumns}
    FROM spending JOIN funding_schedules USING (funding_schedule_id)
    WHERE spending.account_id = ${accountId} AND spending.bank_account_id = ${bankAccountId}
    ORDER BY spending.spending_id`,
)

/**
 * Lists the plans of a bank account, with their schedules, ordered by ID. Includes plans without an
 * envelope in the ledger, which are being created or deleted.
 */
export function listSpending(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<readonly ListedSpending[]> {
  return pool.any(everyPlan({ accountId, bankAccountId }))
}

/** Plans of one bank account to read. */
type Asked = BankAccountKey & { spendingIds: readonly string[] }

// LIMIT is an optimization fence: the planner searches an index once for each plan, where for a
// plain join it might read a whole table.
const plansById = prepare(
  ['accountIds', 'bankAccountIds', 'spendingIds'],
  ({ accountIds, bankAccountIds, spendingIds }) => read(FundedSpending)`
    SELECT ${columns}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${spendingIds}::text[])
      AS scope (account_id, bank_account_id, spending_id)
    CROSS JOIN LATERAL (
      SELECT * FROM spending AS one WHERE ${inScope} AND one.spending_id = scope.spending_id LIMIT 1
    ) AS spending
    CROSS JOIN LATERAL (
      SELECT * FROM funding_schedules AS one
      WHERE ${inScope} AND one.funding_schedule_id = spending.funding_schedule_id LIMIT 1
    ) AS funding_schedules`,
)

const batch = { sizeMax: 16, waitingMax: 1_024, isGathered: true }

/**
 * Returns plans by their IDs, in any state and order; missing ones are left out. Batching:
 * concurrent requests share a statement, since writes that share a commit look up their plans at
 * once.
 */
export type FindPlans = (asked: Asked) => Promise<readonly FundedSpending[]>

/** Creates `FindPlans` of one database. */
export function createPlanReader({ pool }: Database): FindPlans {
  const find = createBatcher<Asked, readonly FundedSpending[]>(async (_key, all) => {
    const rows = all.flatMap(({ accountId, bankAccountId, spendingIds }) =>
      spendingIds.map((spendingId) => ({ accountId, bankAccountId, spendingId })),
    )
    const distinct = [...new Map(rows.map((row) => [Object.values(row).join(), row])).values()]
    const plans = await pool.any(
      plansById({
        accountIds: distinct.map(({ accountId }) => accountId),
        bankAccountIds: distinct.map(({ bankAccountId }) => bankAccountId),
        spendingIds: distinct.map(({ spendingId }) => spendingId),
      }),
    )
    const found = Map.groupBy(plans, keyOf)
    return all.map((asked) => {
      const wanted = new Set(asked.spendingIds)
      const ofAsked = found.get(keyOf(asked)) ?? []
      const value = ofAsked.filter(({ spendingId }) => wanted.has(spendingId))
      return { status: 'fulfilled', value }
    })
  }, batch)
  return (asked) => find('', asked)
}

/** Maximum number of plans in an overview (docs/limits.md). */
const behindMax = 100

/**
 * Lists the plans of these bank accounts that are behind as of their last calculation and not
 * paused, by due date.
 */
export function listBehind(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<readonly ListedSpending[]> {
  return pool.any(sql.type(ListedSpending)`
    SELECT ${listedColumns} FROM spending JOIN funding_schedules
      USING (account_id, bank_account_id, funding_schedule_id)
    WHERE spending.account_id = ${accountId}
      AND spending.bank_account_id = ANY(${sql.array([...bankAccountIds], 'text')})
      AND is_behind AND state = 'open' AND NOT is_paused
    ORDER BY spending.next_recurrence, spending.spending_id LIMIT ${behindMax}`)
}

const PlanCount = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  plans: z.bigint().transform(Number),
})

const countStatement = prepare(
  ['accountIds', 'bankAccountIds'],
  ({ accountIds, bankAccountIds }) => sql.type(PlanCount)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", plans
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT count(*) AS plans FROM spending WHERE spending.account_id = wanted.account_id
        AND spending.bank_account_id = wanted.bank_account_id
    ) AS counted`,
)

/** Counts the plans (of any state) of each bank account. The result is not ordered. */
export async function countPlans(
  { pool }: Database,
  scopes: readonly BankAccountKey[],
): Promise<readonly (BankAccountKey & { plans: number })[]> {
  if (scopes.length === 0) return []
  return pool.any(
    countStatement({
      accountIds: scopes.map(({ accountId }) => accountId),
      bankAccountIds: scopes.map(({ bankAccountId }) => bankAccountId),
    }),
  )
}
