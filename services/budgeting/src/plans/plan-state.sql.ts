import { keyOf } from '@coffer/kit/database/aggregate-key'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { FoundRow, inScope, keyRecords, locking } from '@coffer/kit/database/guarded-read'
import { entityOf, recordsOf } from '@coffer/kit/database/rows'
import { prepare, prepareParts } from '@coffer/kit/database/statement'
import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { FundingRun, RunLine } from '../advance/funding-run.ts'
import { FundingSchedule } from '../schedules/funding-schedule.ts'
import { type PlanScope, Spending } from './spending.ts'
import type { BookScope, BookState } from './unit-of-work.ts'

/** The part of a scope that names rows: a statement has only the parts that are asked for. */
type ScopePart =
  | 'spendingIds'
  | 'plansOnIds'
  | 'fundingScheduleIds'
  | 'openingKeys'
  | 'isWhole'
  | 'countsSchedules'

/** Scopes travel as one parameter, whatever they name and however many there are. */
function scopeRows(scopes: string): FragmentSqlToken {
  return sql.fragment`jsonb_to_recordset(${scopes}::jsonb) AS scope(
      account_id text, bank_account_id text, spending_ids text[], plans_on_ids text[],
      funding_schedule_ids text[], opening_keys text[], is_whole boolean)`
}

/**
 * Rows of a table, looked up for each scope. The OFFSET keeps every look-up a search of its own in
 * an index: joined freely, a whole table may be read.
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
    SELECT 'line', to_jsonb(found) FROM runs CROSS JOIN LATERAL (
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
    sql.fragment`SELECT 'book' AS kind, ${bookRecord(has)} AS record FROM scope`,
    ...(plans.length > 0 ? [sql.fragment`SELECT 'plan', to_jsonb(plans) FROM plans`] : []),
    ...(schedules.length > 0
      ? [sql.fragment`SELECT 'schedule', to_jsonb(schedules) FROM schedules`]
      : []),
    ...(has.has('isWhole')
      ? [sql.fragment`SELECT 'run', to_jsonb(runs) FROM runs`, linesOfRuns]
      : []),
  ]
  return sql.type(FoundRow)`
    WITH ${sql.join(ctes, sql.fragment`, `)} ${all(rows)}`
})

function all(selects: readonly FragmentSqlToken[]): FragmentSqlToken {
  return sql.fragment`${sql.join(selects, sql.fragment` UNION ALL `)}`
}

function bookRecord(has: ReadonlySet<ScopePart>): FragmentSqlToken {
  const count = has.has('countsSchedules')
    ? sql.fragment`(SELECT count(*) FROM funding_schedules AS one
        WHERE ${inScope} AND deleted_at IS NULL)`
    : sql.fragment`0`
  return sql.fragment`jsonb_build_object(
      'account_id', scope.account_id, 'bank_account_id', scope.bank_account_id,
      'version', coalesce((SELECT version FROM plan_books AS one WHERE ${inScope}), 0),
      'is_removed', coalesce(
        (SELECT reason FROM ended_bank_accounts AS one WHERE ${inScope}) = 'removed', false),
      'timezone', (SELECT timezone FROM account_settings AS one
        WHERE one.account_id = scope.account_id),
      'schedule_count', ${count})`
}

const Book = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  version: z.bigint(),
  isRemoved: z.boolean(),
  timezone: z.string().nullable(),
  scheduleCount: z.number(),
})

interface FoundState extends BookState {
  plans: Spending[]
  schedules: FundingSchedule[]
  runs: FundingRun[]
  lines: RunLine[]
}

/** The rows that scopes name, by the key of their bank account, as of one instant. */
export async function readBooks(
  connection: CommonQueryMethods,
  scopes: readonly BookScope[],
): Promise<Map<string, BookState>> {
  const merged = [...Map.groupBy(scopes, keyOf).values()].map(mergedScope)
  const names = ['spendingIds', 'plansOnIds', 'fundingScheduleIds', 'openingKeys'] as const
  const parts: ScopePart[] = names.filter((name) => merged.some((one) => one[name].length > 0))
  if (merged.some(({ isWhole }) => isWhole)) parts.push('isWhole')
  if (scopes.some(({ countsSchedules }) => countsSchedules)) parts.push('countsSchedules')
  const rows = await connection.any(readStatement({ scopes: recordsOf(merged) }, parts))
  const states = new Map<string, FoundState>()
  for (const { kind, record } of rows) {
    if (kind !== 'book') continue
    const book = entityOf(Book, record)
    states.set(keyOf(book), { ...book, plans: [], schedules: [], runs: [], lines: [] })
  }
  for (const { kind, record } of rows) {
    const state = states.get(`${record.account_id} ${record.bank_account_id}`)
    if (kind === 'plan') state?.plans.push(entityOf(Spending, record))
    else if (kind === 'schedule') state?.schedules.push(entityOf(FundingSchedule, record))
    else if (kind === 'run') state?.runs.push(entityOf(FundingRun, record))
    else if (kind === 'line') state?.lines.push(entityOf(RunLine, record))
  }
  return states
}

function mergedScope(scopes: readonly BookScope[]) {
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

const lockBookRows = locking('plan_books')

/** Locks the books of bank accounts in the order of their keys; they are read after that. */
export async function lockBooks(tx: Tx, keys: readonly PlanScope[]): Promise<void> {
  await tx.query(createStatement({ scopes: keyRecords(keys) }))
  await lockBookRows(tx, keys)
}
