import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { duplicate } from '@coffer/kit/errors'
import { columnsOf, insertOf, recordsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import {
  type CommonQueryMethods,
  type FragmentSqlToken,
  sql,
  UniqueIntegrityConstraintViolationError,
} from 'slonik'
import { z } from 'zod'
import { FundedSpending, ReservedSpending, Spending } from './spending.ts'

/** The bank account that plans belong to. */
export interface PlanScope {
  accountId: string
  bankAccountId: string
}

const columns = columnsOf(Spending, { table: 'spending' })
const funded = sql.fragment`
  SELECT ${columns}, funding_schedules.ruleset AS "fundingRuleset",
    funding_schedules.exclude_weekends AS "fundingExcludesWeekends",
    funding_schedules.next_recurrence AS "fundingNextRecurrence"
  FROM spending JOIN funding_schedules
    USING (account_id, bank_account_id, funding_schedule_id)`

/** What holds for the plans of one bank account. */
function within({ accountId, bankAccountId }: PlanScope): FragmentSqlToken {
  return sql.fragment`spending.account_id = ${accountId}
    AND spending.bank_account_id = ${bankAccountId}`
}

const openPlans = prepare(
  ['accountId', 'bankAccountId'],
  (scope) => sql.type(FundedSpending)`
    ${funded} WHERE ${within(scope)} AND spending.state = 'open' ORDER BY spending.spending_id`,
)

/** The plans of a bank account that are open, by ID. */
export function listSpending(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
): Promise<readonly FundedSpending[]> {
  return pool.any(openPlans({ accountId, bankAccountId }))
}

const plansById = prepare(
  ['accountId', 'bankAccountId', 'spendingIds'],
  ({ spendingIds, ...scope }) => sql.type(FundedSpending)`
    ${funded} WHERE ${within(scope)} AND spending.spending_id = ANY(${spendingIds}::text[])`,
)

/** These plans, open or not. */
export function findPlans(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
  spendingIds: readonly string[],
): Promise<readonly FundedSpending[]> {
  return pool.any(plansById({ accountId, bankAccountId, spendingIds }))
}

/** A plan, named with the account it belongs to. */
export interface PlanKey extends PlanScope {
  spendingId: string
}

// The limit keeps each plan a search of its own, however many there are.
const plansOfAll = prepare(
  ['accountIds', 'bankAccountIds', 'spendingIds'],
  ({ accountIds, bankAccountIds, spendingIds }) => sql.type(FundedSpending)`
    SELECT plan.*
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${spendingIds}::text[])
      AS wanted (account_id, bank_account_id, spending_id)
    CROSS JOIN LATERAL (
      ${funded} WHERE spending.account_id = wanted.account_id
        AND spending.bank_account_id = wanted.bank_account_id
        AND spending.spending_id = wanted.spending_id LIMIT 1
    ) AS plan`,
)

/** Plans of many accounts at once, each found by its whole key. */
export function findPlansOfAll(
  { pool }: Database,
  keys: readonly PlanKey[],
): Promise<readonly FundedSpending[]> {
  return pool.any(
    plansOfAll({ ...idsOf(keys), spendingIds: keys.map(({ spendingId }) => spendingId) }),
  )
}

const scopeNames = ['accountIds', 'bankAccountIds'] as const

const openPlansOfScopes = prepare(
  scopeNames,
  ({ accountIds, bankAccountIds }) => sql.type(FundedSpending)`
    SELECT plan.* FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      ${funded} WHERE spending.account_id = wanted.account_id
        AND spending.bank_account_id = wanted.bank_account_id AND spending.state = 'open'
      ORDER BY spending.spending_id OFFSET 0
    ) AS plan`,
)

/** The open plans of many bank accounts, of each by ID. */
export function openPlansOfAll(
  { pool }: Database,
  scopes: readonly PlanScope[],
): Promise<readonly FundedSpending[]> {
  return pool.any(openPlansOfScopes(idsOf(scopes)))
}

const PlanCount = z.object({
  ...{ accountId: z.string(), bankAccountId: z.string() },
  plans: z.bigint().transform(Number),
})

const countStatement = prepare(
  scopeNames,
  ({ accountIds, bankAccountIds }) => sql.type(PlanCount)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", plans
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT count(*) AS plans FROM spending WHERE spending.account_id = wanted.account_id
        AND spending.bank_account_id = wanted.bank_account_id
    ) AS counted`,
)

/** How many plans bank accounts have. */
export async function countPlans(
  { pool }: Database,
  scopes: readonly PlanScope[],
): Promise<readonly (PlanScope & { plans: number })[]> {
  return scopes.length === 0 ? [] : pool.any(countStatement(idsOf(scopes)))
}

const lockPlansOfScopes = prepare(
  [...scopeNames, 'fundingScheduleIds', 'spendingIds'],
  ({ accountIds, bankAccountIds, fundingScheduleIds, spendingIds }) => sql.type(FundedSpending)`
    WITH spending AS MATERIALIZED (
      SELECT plan.* FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
        AS wanted (account_id, bank_account_id)
      CROSS JOIN LATERAL (
        SELECT * FROM spending WHERE spending.account_id = wanted.account_id
          AND spending.bank_account_id = wanted.bank_account_id AND spending.state = 'open'
          AND (spending.funding_schedule_id = ANY(${fundingScheduleIds}::text[])
            OR spending.spending_id = ANY(${spendingIds}::text[]))
        ORDER BY spending.spending_id FOR NO KEY UPDATE
      ) AS plan
    )
    SELECT ${columns}, schedule.ruleset AS "fundingRuleset",
      schedule.exclude_weekends AS "fundingExcludesWeekends",
      schedule.next_recurrence AS "fundingNextRecurrence"
    FROM spending CROSS JOIN LATERAL (
      SELECT * FROM funding_schedules AS one
      WHERE one.account_id = spending.account_id
        AND one.bank_account_id = spending.bank_account_id
        AND one.funding_schedule_id = spending.funding_schedule_id LIMIT 1
    ) AS schedule`,
)

/** Open plans of many bank accounts on one of the schedules or of one of the IDs, locked first. */
export function lockPlansOfAll(
  tx: Tx,
  scopes: readonly PlanScope[],
  of: { fundingScheduleIds: readonly string[]; spendingIds: readonly string[] },
): Promise<readonly FundedSpending[]> {
  return tx.any(lockPlansOfScopes({ ...idsOf(scopes), ...of }))
}

/** The columns of keys, each as an array. */
export function idsOf(keys: readonly PlanScope[]) {
  return {
    accountIds: keys.map(({ accountId }) => accountId),
    bankAccountIds: keys.map(({ bankAccountId }) => bankAccountId),
  }
}

/** Throws UniqueIntegrityConstraintViolationError when there is one of that name and type. */
export async function insertSpending(tx: Tx, spending: ReservedSpending): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('spending', ReservedSpending, spending)}`)
}

export async function deleteSpending(
  { pool }: Database,
  scope: PlanScope,
  spendingId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM spending WHERE ${within(scope)} AND spending_id = ${spendingId}`)
}

/**
 * Open plans of one schedule by ID, or one plan, locked. Joined only then: a plan that was moved
 * to another schedule while its lock was waited for has no match in a join of what was read first.
 */
export function lockPlans(
  tx: Tx,
  scope: PlanScope,
  which: { fundingScheduleId: string } | { spendingId: string },
): Promise<readonly FundedSpending[]> {
  const filter =
    'spendingId' in which
      ? sql.fragment`spending.spending_id = ${which.spendingId}`
      : sql.fragment`spending.funding_schedule_id = ${which.fundingScheduleId}`
  return tx.any(sql.type(FundedSpending)`
    WITH spending AS MATERIALIZED (
      SELECT * FROM spending WHERE ${within(scope)} AND ${filter} AND spending.state = 'open'
      ORDER BY spending.spending_id FOR NO KEY UPDATE
    ) ${funded} ORDER BY spending.spending_id`)
}

/** Each record's plan is searched for by its key, and locked: as it is now, or not at all. */
function updateFrom(records: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    UPDATE spending SET name = new.name, funding_schedule_id = new.funding_schedule_id,
      target_amount = new.target_amount, ruleset = new.ruleset, is_paused = new.is_paused,
      auto_create_transaction = new.auto_create_transaction,
      current_amount = new.current_amount, used_amount = new.used_amount,
      amounts_version = new.amounts_version, last_recurrence = new.last_recurrence,
      next_recurrence = new.next_recurrence, is_behind = new.is_behind,
      next_contribution_amount = new.next_contribution_amount,
      calculated_at = new.calculated_at, revision = spending.revision + 1
    FROM jsonb_populate_recordset(NULL::spending, ${records}) AS new
    CROSS JOIN LATERAL (
      SELECT ctid AS place FROM spending AS plan
      WHERE plan.account_id = new.account_id AND plan.bank_account_id = new.bank_account_id
        AND plan.spending_id = new.spending_id AND plan.revision = new.revision
      LIMIT 1 FOR NO KEY UPDATE
    ) AS locked
    WHERE spending.ctid = locked.place
    RETURNING spending.spending_id AS "spendingId"`
}

const Saved = Spending.pick({ spendingId: true })

const saveStatement = prepare(
  ['plans'],
  ({ plans }) => sql.type(Saved)`${updateFrom(sql.fragment`${plans}::jsonb`)}`,
)

/**
 * Saves plans as they were read, but for what has changed: a plan that somebody changed meanwhile
 * stays as it is. Returns the IDs of those that were saved.
 */
export async function savePlans(
  connection: CommonQueryMethods,
  plans: readonly Spending[],
): Promise<Set<string>> {
  if (plans.length === 0) {
    return new Set()
  }
  const saved = await connection.any(saveStatement({ plans: recordsOf(plans) }))
  return new Set(saved.map(({ spendingId }) => spendingId))
}

const saveFundedStatement = prepare(
  [
    ...(['plans', 'accountId', 'bankAccountId', 'fundingScheduleId'] as const),
    ...(['ruleset', 'excludesWeekends', 'next'] as const),
  ],
  (seen) => sql.type(Saved)`
    WITH schedule AS MATERIALIZED (
      SELECT FROM funding_schedules
      WHERE account_id = ${seen.accountId} AND bank_account_id = ${seen.bankAccountId}
        AND funding_schedule_id = ${seen.fundingScheduleId} AND deleted_at IS NULL
        AND ruleset = ${seen.ruleset} AND exclude_weekends = ${seen.excludesWeekends}::boolean
        AND next_recurrence = ${seen.next}::timestamptz
      FOR SHARE
    ) ${updateFrom(sql.fragment`
      CASE WHEN EXISTS (SELECT FROM schedule) THEN ${seen.plans}::jsonb ELSE '[]' END`)}`,
)

/**
 * Saves a plan where neither it nor what its schedule fires by has changed since it was read;
 * whether it did. One statement, with the locks that `shareSchedules` and `lockPlans` take.
 */
export async function savePlanAsSeen({ pool }: Database, plan: FundedSpending): Promise<boolean> {
  const { accountId, bankAccountId, fundingScheduleId } = plan
  const saved = await pool.any(
    saveFundedStatement({
      ...{ accountId, bankAccountId, fundingScheduleId },
      plans: recordsOf([plan]),
      ruleset: plan.fundingRuleset,
      excludesWeekends: plan.fundingExcludesWeekends,
      next: plan.fundingNextRecurrence.toISOString(),
    }),
  )
  return saved.length > 0
}

/** Makes the fault of a name that is taken the refusal a client gets. */
export function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (!isTaken || error.constraint !== 'spending_name') throw error
  throw duplicate('spending', { name: 'is taken by another one of the bank account' })
}
