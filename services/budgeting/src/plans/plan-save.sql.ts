import { inKeyOrder, keyOf } from '@coffer/kit/database/aggregate-key'
import type { Locked } from '@coffer/kit/database/aggregate-store'
import type { Queries } from '@coffer/kit/database/database'
import {
  guardedDelete,
  guardedInsert,
  guardedRows,
  guardedUpdate,
  keyFields,
  replacedRow,
  replyPart,
  SavedRow,
  skipping,
} from '@coffer/kit/database/guarded-save'
import { columnNames, recordsOf, rowAssignments } from '@coffer/kit/database/rows'
import { prepareParts } from '@coffer/kit/database/statement'
import { Change } from '@coffer/kit/events/changes'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { FundingRun, RunLine } from '../book/funding-run.ts'
import { FundingSchedule } from '../book/funding-schedule.ts'
import { Spending } from '../book/spending.ts'
import type { ChangeSet } from './unit-of-work.ts'

// until 0.4: the table `plan_books` keeps the column `save_id`, which no version writes, because
// 0.2.0 exports it.
const PlanVersion = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  version: z.bigint(),
})
const plan = { table: 'spending', entity: Spending, id: 'spendingId' }
const schedule = { table: 'funding_schedules', entity: FundingSchedule, id: 'fundingScheduleId' }
const run = { table: 'funding_runs', entity: FundingRun, id: 'fundingRunId' }
const line = { table: 'funding_run_lines', entity: RunLine }

const parts = {
  createdSchedules: guardedInsert(schedule, 'createdSchedules'),
  schedules: guardedUpdate(schedule, 'schedules'),
  deletedSchedules: guardedDelete(schedule, 'deletedSchedules'),
  createdPlans: guardedInsert(plan, 'createdPlans'),
  plans: guardedUpdate(plan, 'plans'),
  deletedPlans: guardedDelete(plan, 'deletedPlans'),
  createdRuns: guardedInsert(run, 'createdRuns'),
  runs: guardedUpdate(run, 'runs'),
  lines: guardedInsert(line, 'lines'),
  replies: guardedInsert(replyPart, 'replies'),
  changes: guardedInsert({ table: 'changes', entity: Change }, 'changes'),
} satisfies Record<string, FragmentSqlToken>

/** The rows to save for one bank account, with events for the outbox. */
export type PlanSave = ChangeSet & { changes: readonly Change[] }

type PartName = keyof typeof parts
const partNames = Object.keys(parts) as PartName[]

type StatementPart = PartName | 'createdVersions' | 'skipsLocked'

const nothing = sql.fragment``

/**
 * Optimistic concurrency: compare-and-set on the version of a bank account's plans. `guard` locks
 * version rows that are unchanged since the read, in key order; missing ones are inserted unless a
 * change of the timezone has begun since. All other parts save rows of guarded bank accounts only.
 */
const saveStatement = prepareParts(
  ['changeSets'],
  ({ changeSets }, has: ReadonlySet<StatementPart>) => {
    const saves = partNames
      .filter((name) => has.has(name))
      .map((name) => sql.fragment`, ${sql.identifier([`saved ${name}`])} AS (${parts[name]})`)
    const created = has.has('createdVersions')
      ? sql.fragment`
        UNION ALL SELECT changed.* FROM changed JOIN created USING (account_id, bank_account_id)`
      : nothing
    return sql.type(SavedRow)`
    WITH changed AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${changeSets}::jsonb) AS new(
        account_id text, bank_account_id text, read_version bigint, timezone text, versions jsonb,
        ${sql.join(
          partNames.map((name) => sql.fragment`${sql.identifier([name])} jsonb`),
          sql.fragment`, `,
        )})
    )${has.has('createdVersions') ? createdVersions(has.has('skipsLocked')) : nothing},
    guard AS MATERIALIZED (
      SELECT changed.* FROM changed CROSS JOIN LATERAL (
        SELECT 1 FROM plan_books AS stored
        WHERE stored.account_id = changed.account_id
          AND stored.bank_account_id = changed.bank_account_id
          AND stored.version = changed.read_version
        LIMIT 1 FOR NO KEY UPDATE ${skipping(has.has('skipsLocked'))}
      ) AS unchanged${created}
    ), raised AS (
      UPDATE plan_books SET ${rowAssignments(PlanVersion, keyFields)}
      FROM ${guardedRows('versions', 'plan_books')}
      WHERE ${replacedRow('plan_books')}
    )${saves.length > 0 ? sql.join(saves, nothing) : nothing}
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId" FROM guard`
  },
)

/**
 * Inserts version rows. A concurrent change of the timezone waits for the share lock on the
 * settings, and then finds the new row.
 */
function createdVersions(skipsLocked: boolean): FragmentSqlToken {
  return sql.fragment`, unmoved AS MATERIALIZED (
      SELECT changed.* FROM changed CROSS JOIN LATERAL (
        SELECT 1 FROM account_settings AS stored
        WHERE stored.account_id = changed.account_id AND stored.timezone = changed.timezone
        LIMIT 1 FOR SHARE ${skipping(skipsLocked)}
      ) AS same WHERE read_version = 0
      UNION ALL SELECT * FROM changed WHERE read_version = 0 AND timezone IS NULL
    ), created AS (
      INSERT INTO plan_books (${columnNames(PlanVersion)})
      SELECT ${columnNames(PlanVersion)} FROM (
        SELECT new.* FROM unmoved
        CROSS JOIN LATERAL jsonb_populate_recordset(NULL::plan_books, unmoved.versions) AS new
      ) AS new
      ON CONFLICT DO NOTHING RETURNING account_id, bank_account_id
    )`
}

/**
 * Saves change sets in one statement, whose text does not depend on the number of rows. Leaves out
 * bank accounts whose version has changed since the read. `locked`: `wait` waits for locked version
 * rows, `skip` leaves out their bank accounts. Returns the keys (`keyOf`) of the saved bank
 * accounts.
 */
export async function saveChangeSets(
  connection: Queries,
  saves: readonly PlanSave[],
  locked: Locked,
): Promise<Set<string>> {
  const filled = partNames.filter((name) => saves.some((save) => save[name].length > 0))
  const statementParts: StatementPart[] = [...filled]
  if (saves.some(({ readVersion }) => readVersion === 0n)) statementParts.push('createdVersions')
  if (locked === 'skip') statementParts.push('skipsLocked')
  // Lock ordering: the statement locks rows in key order, which avoids deadlocks.
  const documents = inKeyOrder(saves, (save) => save).map((save) => documentOf(save, filled))
  const changeSets = `[${documents.join(',')}]`
  const saved = await connection.any(saveStatement({ changeSets }, statementParts))
  return new Set(saved.map(keyOf))
}

function documentOf(save: PlanSave, filled: readonly PartName[]): string {
  const { accountId, bankAccountId, readVersion, timezone, version } = save
  const rows = filled.map((name) => `,"${name}":${recordsOf(save[name])}`)
  return `{"account_id":${JSON.stringify(accountId)},
    "bank_account_id":${JSON.stringify(bankAccountId)},
    "read_version":${readVersion},
    "timezone":${JSON.stringify(timezone)},
    "versions":${recordsOf([{ accountId, bankAccountId, version }])}${rows.join('')}}`
}
