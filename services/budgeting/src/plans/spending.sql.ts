import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { FundedSpending, Spending } from '../book/spending.ts'

const funded = sql.fragment`
  SELECT ${columnsOf(Spending, { table: 'spending' })},
    funding_schedules.ruleset AS "fundingRuleset",
    funding_schedules.exclude_weekends AS "fundingExcludesWeekends",
    funding_schedules.next_recurrence AS "fundingNextRecurrence"
  FROM spending JOIN funding_schedules
    USING (account_id, bank_account_id, funding_schedule_id)`

/** Returns the SQL condition that a plan belongs to this bank account. */
function within({ accountId, bankAccountId }: BankAccountKey): FragmentSqlToken {
  return sql.fragment`spending.account_id = ${accountId}
    AND spending.bank_account_id = ${bankAccountId}`
}

const everyPlan = prepare(
  ['accountId', 'bankAccountId'],
  (scope) => read(FundedSpending)`
    ${funded} WHERE ${within(scope)} ORDER BY spending.spending_id`,
)

/**
 * Lists the plans of a bank account, with their schedules, ordered by ID. Those without an envelope
 * in the ledger are being created or deleted.
 */
export function listSpending(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<readonly FundedSpending[]> {
  return pool.any(everyPlan({ accountId, bankAccountId }))
}

const plansById = prepare(
  ['accountId', 'bankAccountId', 'spendingIds'],
  ({ spendingIds, ...scope }) => read(FundedSpending)`
    ${funded} WHERE ${within(scope)} AND spending.spending_id = ANY(${spendingIds}::text[])`,
)

/** Returns the plans with these IDs, in any state and order; missing plans are left out. */
export function findPlans(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  spendingIds: readonly string[],
): Promise<readonly FundedSpending[]> {
  return pool.any(plansById({ accountId, bankAccountId, spendingIds }))
}

/** Plans that an overview has at most (docs/limits.md). */
const behindMax = 100

/**
 * Lists plans that are behind as of their last calculation and not paused, by due date: those of
 * these bank accounts alone.
 */
export function listBehind(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<readonly FundedSpending[]> {
  return pool.any(sql.type(FundedSpending)`
    ${funded} WHERE spending.account_id = ${accountId}
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
