import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnNames, columnsOf, recordsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundingLine, FundingRun } from './funding-run.ts'
import { idsOf, type PlanScope } from './spending.sql.ts'

/** A line beside the run that it is of. */
const RunLine = FundingLine.extend({
  accountId: z.string(),
  bankAccountId: z.string(),
  fundingRunId: z.string(),
})
export type RunLine = z.infer<typeof RunLine>

const runNames = ['accountIds', 'bankAccountIds', 'fundingRunIds'] as const

// No order: to spare a sort, Postgres would look for it in all that is pending.
const pendingStatement = prepare(
  ['accountIds', 'bankAccountIds'],
  ({ accountIds, bankAccountIds }) => sql.type(FundingRun)`
    SELECT ${columnsOf(FundingRun, { table: 'run' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT * FROM funding_runs
      WHERE funding_runs.account_id = wanted.account_id
        AND funding_runs.bank_account_id = wanted.bank_account_id AND state = 'pending'
      OFFSET 0
    ) AS run`,
)

/** Runs of bank accounts that the ledger has not answered yet, in the order they were due. */
export async function pendingRuns(
  { pool }: Database,
  scopes: readonly PlanScope[],
): Promise<FundingRun[]> {
  const runs = await pool.any(pendingStatement(idsOf(scopes)))
  return runs.toSorted(
    (a, b) =>
      a.occurrence.getTime() - b.occurrence.getTime() || (a.fundingRunId < b.fundingRunId ? -1 : 1),
  )
}

const linesStatement = prepare(
  runNames,
  ({ accountIds, bankAccountIds, fundingRunIds }) => sql.type(RunLine)`
    SELECT ${columnsOf(RunLine, { table: 'line' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${fundingRunIds}::text[])
      AS wanted (account_id, bank_account_id, funding_run_id)
    CROSS JOIN LATERAL (
      SELECT * FROM funding_run_lines
      WHERE funding_run_lines.account_id = wanted.account_id
        AND funding_run_lines.bank_account_id = wanted.bank_account_id
        AND funding_run_lines.funding_run_id = wanted.funding_run_id
      ORDER BY spending_id OFFSET 0
    ) AS line`,
)

/** The lines of runs, of each by envelope. */
export async function linesOf(
  { pool }: Database,
  runs: readonly FundingRun[],
): Promise<readonly RunLine[]> {
  return runs.length === 0 ? [] : pool.any(linesStatement(runIdsOf(runs)))
}

const insertStatement = prepare(
  ['runs', 'lines'],
  ({ runs, lines }) => sql.unsafe`
    WITH decided AS (
      INSERT INTO funding_runs (${columnNames(FundingRun)})
      SELECT ${columnNames(FundingRun)}
      FROM jsonb_populate_recordset(NULL::funding_runs, ${runs}::jsonb)
    )
    INSERT INTO funding_run_lines (${columnNames(RunLine)})
    SELECT ${columnNames(RunLine)}
    FROM jsonb_populate_recordset(NULL::funding_run_lines, ${lines}::jsonb)`,
)

/** Stores runs with their lines; an occurrence has one run only. */
export async function insertRuns(
  tx: Tx,
  runs: readonly FundingRun[],
  lines: readonly RunLine[],
): Promise<void> {
  await tx.query(insertStatement({ runs: recordsOf(runs), lines: recordsOf(lines) }))
}

const endStatement = prepare(
  runNames,
  ({ accountIds, bankAccountIds, fundingRunIds }) => sql.type(
    FundingRun.pick({ fundingRunId: true }),
  )`
    UPDATE funding_runs SET state = 'applied'
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${fundingRunIds}::text[])
      AS booked (account_id, bank_account_id, funding_run_id)
    CROSS JOIN LATERAL (
      SELECT ctid AS place FROM funding_runs AS run
      WHERE run.account_id = booked.account_id AND run.bank_account_id = booked.bank_account_id
        AND run.funding_run_id = booked.funding_run_id AND run.state = 'pending'
      LIMIT 1 FOR NO KEY UPDATE
    ) AS locked
    WHERE funding_runs.ctid = locked.place
    RETURNING funding_runs.funding_run_id AS "fundingRunId"`,
)

/** Marks runs as booked; returns the IDs of those that nobody else has. */
export async function endRuns(tx: Tx, runs: readonly FundingRun[]): Promise<Set<string>> {
  if (runs.length === 0) return new Set()
  const ended = await tx.any(endStatement(runIdsOf(runs)))
  return new Set(ended.map(({ fundingRunId }) => fundingRunId))
}

function runIdsOf(runs: readonly FundingRun[]) {
  return { ...idsOf(runs), fundingRunIds: runs.map(({ fundingRunId }) => fundingRunId) }
}
