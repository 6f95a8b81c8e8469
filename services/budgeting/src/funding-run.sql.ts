import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf, insertOf } from '@coffer/kit/rows'
import { sql } from 'slonik'
import { FundingLine, FundingRun } from './funding-run.ts'
import type { PlanScope } from './spending.sql.ts'

const columns = columnsOf(FundingRun, { table: 'funding_runs' })
const lineColumns = columnsOf(FundingLine, { table: 'funding_run_lines' })

/** Runs that the ledger has not answered yet, in the order they were due. */
export function pendingRuns(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
): Promise<readonly FundingRun[]> {
  return pool.any(sql.type(FundingRun)`
    SELECT ${columns} FROM funding_runs
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND state = 'pending'
    ORDER BY occurrence, funding_run_id`)
}

export function linesOf({ pool }: Database, run: FundingRun): Promise<readonly FundingLine[]> {
  return pool.any(sql.type(FundingLine)`
    SELECT ${lineColumns} FROM funding_run_lines
    WHERE account_id = ${run.accountId} AND bank_account_id = ${run.bankAccountId}
      AND funding_run_id = ${run.fundingRunId}
    ORDER BY spending_id`)
}

/** Stores a run with its lines; an occurrence has one run only. */
export async function insertRun(
  tx: Tx,
  run: FundingRun,
  lines: readonly FundingLine[],
): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('funding_runs', FundingRun, run)}`)
  if (lines.length === 0) return
  const { accountId, bankAccountId, fundingRunId } = run
  await tx.query(sql.unsafe`
    INSERT INTO funding_run_lines
      (account_id, bank_account_id, funding_run_id, spending_id, amount, ceiling)
    SELECT ${accountId}, ${bankAccountId}, ${fundingRunId}, line.*
    FROM ${sql.unnest(
      lines.map((line) => [line.spendingId, line.amount, line.ceiling]),
      ['text', 'int8', 'int8'],
    )} AS line`)
}

/** Marks a run as booked; false when somebody else has. */
export async function endRun(tx: Tx, run: FundingRun): Promise<boolean> {
  const ended = await tx.maybeOne(sql.type(FundingRun.pick({ fundingRunId: true }))`
    UPDATE funding_runs SET state = 'applied'
    WHERE account_id = ${run.accountId} AND bank_account_id = ${run.bankAccountId}
      AND funding_run_id = ${run.fundingRunId} AND state = 'pending'
    RETURNING funding_run_id AS "fundingRunId"`)
  return ended !== null
}
