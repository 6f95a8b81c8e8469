import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import type { Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { FoundRow, inScope, keyRecords, locking } from '@coffer/kit/database/guarded-read'
import { entityOf, recordsOf } from '@coffer/kit/database/rows'
import { prepare, prepareParts } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { FundingRun, RunLine } from '../book/funding-run.ts'
import { FundingSchedule } from '../book/funding-schedule.ts'
import { Spending } from '../book/spending.ts'
import type { PlanScope, PlanState } from './unit-of-work.ts'

/** Fields of a `PlanScope` that select rows; a statement has look-ups only for fields in use. */
type ScopePart =
  | 'spendingIds'
  | 'plansOnIds'
  | 'fundingScheduleIds'
  | 'openingKeys'
  | 'isWhole'
  | 'countsSchedules'

/** Selects all scopes from one JSON parameter, so that the statement text is always the same. */
function scopeRows(scopes: string): FragmentSqlToken {
  return sql.fragment`jsonb_to_recordset(${scopes}::jsonb) AS scope(
      account_id text, bank_account_id text, spending_ids text[], plans_on_ids text[],
      funding_schedule_ids text[], opening_keys text[], is_whole boolean)`
}

/**
 * Selects a table's rows for each scope. OFFSET 0 is an optimization fence: one index scan for each
 * scope. For a plain join, the planner may read the whole table.
 */
function lookUp(table: string, where: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    SELECT found.* FROM scope CROSS JOIN LATERAL (
      SELECT one.* FROM ${sql.identifier([table])} AS one WHERE ${inScope} AND ${where} OFFSET 0
    ) AS found`
}

const planLookUps: [ScopePart, FragmentSqlToken][] = [
  ['spendingIds', lookUp('spending', sql.fragment`one.spending_id = ANY(scope.spending_ids)`)],
  [
    'plansOnIds',
    lookUp('spending', sql.fragment`one.funding_schedule_id = ANY(scope.plans_on_ids)`),
  ],
  ['openingKeys', lookUp('spending', sql.fragment`one.opening_key = ANY(scope.opening_keys)`)],
  ['isWhole', lookUp('spending', sql.fragment`scope.is_whole`)],
]

const scheduleLookUps: [ScopePart, FragmentSqlToken][] = [
  [
    'fundingScheduleIds',
    lookUp(
      'funding_schedules',
      sql.fragment`one.funding_schedule_id = ANY(scope.funding_schedule_ids)`,
    ),
  ],
  [
    'plansOnIds',
    lookUp('funding_schedules', sql.fragment`one.funding_schedule_id = ANY(scope.plans_on_ids)`),
  ],
  ['isWhole', lookUp('funding_schedules', sql.fragment`scope.is_whole`)],
]

const schedulesOfPlans = sql.fragment`
    SELECT found.* FROM (
      SELECT DISTINCT account_id, bank_account_id, funding_schedule_id FROM plans
    ) AS named
    CROSS JOIN LATERAL (
      SELECT one.* FROM funding_schedules AS one
      WHERE one.account_id = named.account_id AND one.bank_account_id = named.bank_account_id
        AND one.funding_schedule_id = named.funding_schedule_id LIMIT 1
    ) AS found`

const pendingRuns = lookUp('funding_runs', sql.fragment`scope.is_whole AND one.state = 'pending'`)

const linesOfRuns = sql.fragment`
    SELECT 'line', to_json(found) FROM runs CROSS JOIN LATERAL (
      SELECT * FROM funding_run_lines AS one
      WHERE one.account_id = runs.account_id AND one.bank_account_id = runs.bank_account_id
        AND one.funding_run_id = runs.funding_run_id OFFSET 0
    ) AS found`

const readStatement = prepareParts(['scopes'], ({ scopes }, has: ReadonlySet<ScopePart>) => {
  const asked = (lookUps: [ScopePart, FragmentSqlToken][]) =>
    lookUps.flatMap(([part, text]) => (has.has(part) ? text : []))
  const plans = asked(planLookUps)
  const schedules = [...asked(scheduleLookUps), ...(plans.length > 0 ? [schedulesOfPlans] : [])]
  const ctes = [
    sql.fragment`scope AS MATERIALIZED (SELECT * FROM ${scopeRows(scopes)})`,
    ...(plans.length > 0 ? [sql.fragment`plans AS MATERIALIZED (${all(plans)})`] : []),
    ...(schedules.length > 0 ? [sql.fragment`schedules AS (${all(schedules)})`] : []),
    ...(has.has('isWhole') ? [sql.fragment`runs AS MATERIALIZED (${pendingRuns})`] : []),
  ]
  const rows = [
    sql.fragment`SELECT 'state' AS kind, ${stateRecord(has)} AS record FROM scope`,
    ...(plans.length > 0 ? [sql.fragment`SELECT 'plan', to_json(plans) FROM plans`] : []),
    ...(schedules.length > 0
      ? [sql.fragment`SELECT 'schedule', to_json(schedules) FROM schedules`]
      : []),
    ...(has.has('isWhole')
      ? [sql.fragment`SELECT 'run', to_json(runs) FROM runs`, linesOfRuns]
      : []),
  ]
  return sql.type(FoundRow)`
    WITH ${sql.join(ctes, sql.fragment`, `)} ${all(rows)}`
})

function all(selects: readonly FragmentSqlToken[]): FragmentSqlToken {
  return sql.fragment`${sql.join(selects, sql.fragment` UNION ALL `)}`
}

function stateRecord(has: ReadonlySet<ScopePart>): FragmentSqlToken {
  const count = has.has('countsSchedules')
    ? sql.fragment`(SELECT count(*) FROM funding_schedules AS one
        WHERE ${inScope} AND deleted_at IS NULL)`
    : sql.fragment`0`
  return sql.fragment`json_build_object(
      'account_id', scope.account_id, 'bank_account_id', scope.bank_account_id,
      'version', coalesce((SELECT version FROM plan_books AS one WHERE ${inScope}), 0),
      'is_removed', coalesce(
        (SELECT reason FROM ended_bank_accounts AS one WHERE ${inScope}) = 'removed', false),
      'timezone', (SELECT timezone FROM account_settings AS one
        WHERE one.account_id = scope.account_id),
      'schedule_count', ${count})`
}

const StateRow = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  version: z.bigint(),
  isRemoved: z.boolean(),
  timezone: z.string().nullable(),
  scheduleCount: z.number(),
})

/**
 * Reads the rows of all scopes from one snapshot. Returns the state of each bank account, keyed by
 * account ID and bank account ID (`keyOf`).
 */
export async function readPlanStates(
  connection: Queries,
  scopes: readonly PlanScope[],
): Promise<Map<string, PlanState>> {
  const merged = [...Map.groupBy(scopes, keyOf).values()].map(mergedScope)
  const names = ['spendingIds', 'plansOnIds', 'fundingScheduleIds', 'openingKeys'] as const
  const parts: ScopePart[] = names.filter((name) => merged.some((one) => one[name].length > 0))
  if (merged.some(({ isWhole }) => isWhole)) parts.push('isWhole')
  if (scopes.some(({ countsSchedules }) => countsSchedules)) parts.push('countsSchedules')
  const rows = await connection.any(readStatement({ scopes: recordsOf(merged) }, parts))
  return new Map(
    [...Map.groupBy(rows, ({ key }) => key)].map(([key, found]) => [key, readState(found)]),
  )
}

function readState(rows: readonly z.infer<typeof FoundRow>[]): PlanState {
  const listed = <Shape extends z.ZodRawShape>(kind: string, entity: z.ZodObject<Shape>) =>
    rows.flatMap((row) => (row.kind === kind ? [entityOf(entity, row.record)] : []))
  const [state] = listed('state', StateRow)
  if (!state) throw new Error('rows without the state of their bank account')
  return {
    ...state,
    plans: listed('plan', Spending),
    schedules: listed('schedule', FundingSchedule),
    runs: listed('run', FundingRun),
    lines: listed('line', RunLine),
  }
}

function mergedScope(scopes: readonly PlanScope[]) {
  const distinct = (ids: readonly string[]) => [...new Set(ids)]
  const [first] = scopes
  return {
    accountId: first?.accountId ?? '',
    bankAccountId: first?.bankAccountId ?? '',
    spendingIds: distinct(scopes.flatMap(({ spendingIds = [] }) => spendingIds)),
    plansOnIds: distinct(scopes.flatMap(({ plansOnIds = [] }) => plansOnIds)),
    fundingScheduleIds: distinct(
      scopes.flatMap(({ fundingScheduleIds = [] }) => fundingScheduleIds),
    ),
    openingKeys: distinct(scopes.flatMap(({ openingKey }) => openingKey ?? [])),
    isWhole: scopes.some(({ isWhole }) => isWhole),
  }
}

const createStatement = prepare(
  ['scopes'],
  ({ scopes }) => sql.unsafe`
    INSERT INTO plan_books (account_id, bank_account_id, version)
    SELECT account_id, bank_account_id, 0 FROM ${scopeRows(scopes)} ON CONFLICT DO NOTHING`,
)

const lockVersionRows = locking('plan_books')

/**
 * Locks the version rows (table `plan_books`) of bank accounts in key order, which avoids
 * deadlocks. Inserts missing rows first.
 */
export async function lockPlanVersions(tx: Tx, keys: readonly BankAccountKey[]): Promise<void> {
  await tx.query(createStatement({ scopes: keyRecords(keys) }))
  await lockVersionRows(tx, keys)
}
