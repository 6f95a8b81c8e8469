import { inKeyOrder, keyOf } from '@coffer/kit/database/aggregate-key'
import type { Locked } from '@coffer/kit/database/aggregate-store'
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
import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { FundingRun, RunLine } from '../advance/funding-run.ts'
import { FundingSchedule } from '../schedules/funding-schedule.ts'
import { Spending } from './spending.ts'
import type { ChangeSet } from './unit-of-work.ts'

// The column `save_id` stays for processes of the version before.
const PlanBook = z.object({
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
} satisfies Record<string, FragmentSqlToken>

type PartName = keyof typeof parts
const partNames = Object.keys(parts) as PartName[]

type StatementPart = PartName | 'createdBooks' | 'skipsLocked'

const nothing = sql.fragment``

/**
 * Compare-and-set. The guard locks the books that still have the version that was read, in the
 * order of the documents, or creates those that were not there, and hands on these; every other
 * part takes its rows from it. A book that another writer has changed or created meanwhile is left
 * out.
 */
const saveStatement = prepareParts(
  ['changeSets'],
  ({ changeSets }, has: ReadonlySet<StatementPart>) => {
    const saves = partNames
      .filter((name) => has.has(name))
      .map((name) => sql.fragment`, ${sql.identifier([`saved ${name}`])} AS (${parts[name]})`)
    const created = has.has('createdBooks')
      ? sql.fragment`
        UNION ALL SELECT changed.* FROM changed JOIN created USING (account_id, bank_account_id)`
      : nothing
    return sql.type(SavedRow)`
    WITH changed AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${changeSets}::jsonb) AS new(
        account_id text, bank_account_id text, read_version bigint, books jsonb,
        ${sql.join(
          partNames.map((name) => sql.fragment`${sql.identifier([name])} jsonb`),
          sql.fragment`, `,
        )})
    )${has.has('createdBooks') ? createdBooks : nothing},
    guard AS MATERIALIZED (
      SELECT changed.* FROM changed CROSS JOIN LATERAL (
        SELECT 1 FROM plan_books AS book
        WHERE book.account_id = changed.account_id
          AND book.bank_account_id = changed.bank_account_id
          AND book.version = changed.read_version
        LIMIT 1 FOR NO KEY UPDATE ${skipping(has.has('skipsLocked'))}
      ) AS unchanged${created}
    ), raised AS (
      UPDATE plan_books SET ${rowAssignments(PlanBook, keyFields)}
      FROM ${guardedRows('books', 'plan_books')}
      WHERE ${replacedRow('plan_books')}
    )${saves.length > 0 ? sql.join(saves, nothing) : nothing}
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId" FROM guard`
  },
)

const createdBooks = sql.fragment`, created AS (
      INSERT INTO plan_books (${columnNames(PlanBook)})
      SELECT ${columnNames(PlanBook)} FROM (
        SELECT new.* FROM changed
        CROSS JOIN LATERAL jsonb_populate_recordset(NULL::plan_books, changed.books) AS new
        WHERE read_version = 0
      ) AS new
      ON CONFLICT DO NOTHING RETURNING account_id, bank_account_id
    )`

/**
 * Saves change sets in one statement, each of them wholly if its book still has the version that it
 * was decided on, otherwise not at all. Rows travel as one JSON document for each bank account, so
 * that the statement is the same however many there are. A book that another transaction has
 * locked is waited for, or skipped.
 *
 * @returns the keys of the bank accounts that are saved
 */
export async function saveBooks(
  connection: CommonQueryMethods,
  saves: readonly ChangeSet[],
  locked: Locked,
): Promise<Set<string>> {
  const filled = partNames.filter((name) => saves.some((save) => save[name].length > 0))
  const statementParts: StatementPart[] = [...filled]
  if (saves.some(({ readVersion }) => readVersion === 0n)) statementParts.push('createdBooks')
  if (locked === 'skip') statementParts.push('skipsLocked')
  // The statement takes the locks in this order, that of the keys.
  const documents = inKeyOrder(saves, (save) => save).map((save) => documentOf(save, filled))
  const changeSets = `[${documents.join(',')}]`
  const saved = await connection.any(saveStatement({ changeSets }, statementParts))
  return new Set(saved.map(keyOf))
}

function documentOf(save: ChangeSet, filled: readonly PartName[]): string {
  const { accountId, bankAccountId, readVersion, version } = save
  const rows = filled.map((name) => `,"${name}":${recordsOf(save[name])}`)
  return `{"account_id":${JSON.stringify(accountId)},
    "bank_account_id":${JSON.stringify(bankAccountId)},
    "read_version":${readVersion},
    "books":${recordsOf([{ accountId, bankAccountId, version }])}${rows.join('')}}`
}
