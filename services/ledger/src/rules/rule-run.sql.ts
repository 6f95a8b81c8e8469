import type { Database, Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { assignmentsOf, columnNames, columnsOf, recordsOf } from '@coffer/kit/database/rows'
import { type Change, insertChanges } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { Transaction } from '../book/transaction.ts'
import { RuleRun, type RuleRunKey, RunChange } from './rule-run.ts'

/** A run without its rules, which only the workflow needs. */
export const ShownRun = RuleRun.omit({ rules: true })
export type ShownRun = z.infer<typeof ShownRun>

const shown = columnsOf(ShownRun, { table: 'rule_runs' })

function tellRun(
  { accountId, ruleRunId: objectId }: RuleRunKey,
  type: 'rule_run.created' | 'rule_run.updated',
  now: Date,
): Change[] {
  return objectsChanged(ObjectsChangedSchema, { accountId, now }, [{ type, objectId }])
}

export async function insertRun(tx: Tx, run: RuleRun): Promise<void> {
  const columns = columnNames(RuleRun)
  await tx.query(sql.unsafe`
    WITH emitted AS (${insertChanges(tellRun(run, 'rule_run.created', run.createdAt))})
    INSERT INTO rule_runs (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::rule_runs, ${recordsOf([run])}::jsonb)`)
}

/** Returns a run of the account; null if it does not exist. */
export function findRun(
  { pool }: { pool: Queries },
  { accountId, ruleRunId }: RuleRunKey,
): Promise<ShownRun | null> {
  return pool.maybeOne(sql.type(ShownRun)`
    SELECT ${shown} FROM rule_runs
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}`)
}

const KeptRules = RuleRun.pick({ rules: true }).extend({ hash: z.string().nullable() })

/** Returns the stored rules of a run, null once it has ended, and their hash. */
export function findRulesOf(
  { pool }: Database,
  { accountId, ruleRunId }: RuleRunKey,
): Promise<z.infer<typeof KeptRules> | null> {
  return pool.maybeOne(sql.type(KeptRules)`
    SELECT rules, md5(rules::text) AS hash FROM rule_runs
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}`)
}

/** Returns the hash of a run's stored rules, which changes when tags are renamed. */
export function hashRulesOf(
  { pool }: { pool: Queries },
  { accountId, ruleRunId }: RuleRunKey,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(KeptRules.pick({ hash: true }))`
    SELECT md5(rules::text) AS hash FROM rule_runs
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}`)
}

const RunRules = RuleRun.pick({ ruleRunId: true, rules: true })

/** Locks an account's running runs that have rules, in ID order. */
export function lockRunRules(
  tx: Tx,
  accountId: string,
): Promise<readonly z.infer<typeof RunRules>[]> {
  return tx.any(sql.type(RunRules)`
    SELECT rule_run_id AS "ruleRunId", rules FROM rule_runs
    WHERE account_id = ${accountId} AND status = 'running' AND rules IS NOT NULL
    ORDER BY rule_run_id FOR NO KEY UPDATE`)
}

export async function setRunRules(
  tx: Tx,
  { accountId, ruleRunId, rules }: RuleRunKey & Pick<RuleRun, 'rules'>,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE rule_runs SET rules = ${JSON.stringify(rules)}
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}`)
}

/** Locks a run until the transaction ends, so that only one process handles its next page. */
export function lockRun(tx: Tx, { accountId, ruleRunId }: RuleRunKey): Promise<ShownRun | null> {
  return tx.maybeOne(sql.type(ShownRun)`
    SELECT ${shown} FROM rule_runs
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId} FOR NO KEY UPDATE`)
}

/** Lists an account's runs, newest first; `before` is an exclusive upper bound of IDs, or null. */
export function listRuns(
  { pool }: Database,
  accountId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<readonly ShownRun[]> {
  return pool.any(sql.type(ShownRun)`
    SELECT ${shown} FROM rule_runs WHERE account_id = ${accountId}
      ${before === null ? sql.fragment`` : sql.fragment`AND rule_run_id < ${before}`}
    ORDER BY rule_run_id DESC LIMIT ${limit}`)
}

/** Updates fields of a run; deletes its rules if the run ends. */
export async function updateRun(
  tx: Tx,
  { accountId, ruleRunId }: RuleRunKey,
  { now, ...fields }: Partial<ShownRun> & { now: Date },
): Promise<void> {
  const names = Object.keys(fields) as (keyof ShownRun)[]
  const ends = fields.status !== undefined && fields.status !== 'running'
  const changes = tellRun({ accountId, ruleRunId }, 'rule_run.updated', now)
  await tx.query(sql.unsafe`
    WITH emitted AS (${insertChanges(changes)})
    UPDATE rule_runs SET ${assignmentsOf(fields, names)}
      ${ends ? sql.fragment`, rules = NULL` : sql.fragment``}
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}`)
}

const BankAccountId = z.object({ bankAccountId: z.string() })

/** Returns the smallest bank account ID greater than `after`; ignores archived bank accounts. */
export function findNextAccount(
  { pool }: Database,
  accountId: string,
  after: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(BankAccountId)`
    SELECT bank_account_id AS "bankAccountId" FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id > ${after}
      AND removed_at IS NULL AND deleted_at IS NULL
    ORDER BY bank_account_id LIMIT 1`)
}

/** Lists live, not manual transactions of a bank account, in ID order after an ID. */
export function listRunRows(
  { pool }: Database,
  { accountId, bankAccountId }: { accountId: string; bankAccountId: string },
  page: { after: string; from: Date; to: Date; limit: number },
): Promise<readonly Transaction[]> {
  return pool.any(sql.type(Transaction)`
    SELECT ${columnsOf(Transaction, { table: 'transactions' })} FROM transactions
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_id > ${page.after} AND deleted_at IS NULL AND source <> 'manual'
      AND date >= ${page.from.toISOString()} AND date < ${page.to.toISOString()}
    ORDER BY transaction_id LIMIT ${page.limit}`)
}

const changeColumns = columnsOf(RunChange, { table: 'rule_run_changes' })

/** Inserts the changes of a page of a run. */
export async function insertRunChanges(tx: Tx, changes: readonly RunChange[]): Promise<void> {
  if (changes.length === 0) return
  const columns = columnNames(RunChange)
  await tx.query(sql.unsafe`
    INSERT INTO rule_run_changes (${columns})
    SELECT ${columns}
    FROM jsonb_populate_recordset(NULL::rule_run_changes, ${recordsOf(changes)}::jsonb)`)
}

/** Lists changes of a run that are not undone, largest bank account and transaction IDs first. */
export function listRunChanges(
  tx: Queries,
  { accountId, ruleRunId }: RuleRunKey,
  limit: number,
): Promise<readonly RunChange[]> {
  return tx.any(sql.type(RunChange)`
    SELECT ${changeColumns} FROM rule_run_changes
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}
    ORDER BY bank_account_id DESC, transaction_id DESC LIMIT ${limit}`)
}

/** Lists later changes of other runs to the transactions of one page, by version. */
export function listLaterChanges(
  tx: Queries,
  changes: readonly RunChange[],
): Promise<readonly RunChange[]> {
  const [
    { accountId, bankAccountId, version } = { accountId: '', bankAccountId: '', version: 0n },
  ] = changes
  const ids = changes.map(({ transactionId }) => transactionId)
  return tx.any(sql.type(RunChange)`
    SELECT ${changeColumns} FROM rule_run_changes
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_id = ANY(${sql.array(ids, 'text')}) AND version > ${version}
    ORDER BY version`)
}

/** Saves the `fields` of changes of later runs, whose former values an undo has replaced. */
export async function updateRunChanges(tx: Tx, changes: readonly RunChange[]): Promise<void> {
  if (changes.length === 0) return
  await tx.query(sql.unsafe`
    UPDATE rule_run_changes AS one SET fields = new.fields
    FROM jsonb_populate_recordset(NULL::rule_run_changes, ${recordsOf(changes)}::jsonb) AS new
    WHERE one.account_id = new.account_id AND one.rule_run_id = new.rule_run_id
      AND one.bank_account_id = new.bank_account_id AND one.transaction_id = new.transaction_id`)
}

/** Deletes these changes of one bank account. */
export async function deleteRunChanges(
  tx: Tx,
  { accountId, ruleRunId }: RuleRunKey,
  changes: readonly Pick<RunChange, 'bankAccountId' | 'transactionId'>[],
): Promise<void> {
  const ids = changes.map(({ transactionId }) => transactionId)
  await tx.query(sql.unsafe`
    DELETE FROM rule_run_changes
    WHERE account_id = ${accountId} AND rule_run_id = ${ruleRunId}
      AND bank_account_id = ${changes[0]?.bankAccountId ?? ''}
      AND transaction_id = ANY(${sql.array(ids, 'text')})`)
}

const UnfinishedRun = RuleRun.pick({ accountId: true, ruleRunId: true, status: true })
export type UnfinishedRun = z.infer<typeof UnfinishedRun>

/** Lists at most `limit` unfinished runs of all accounts that were created before an instant. */
export function listUnfinishedRuns(
  { pool }: Database,
  before: Date,
  limit: number,
): Promise<readonly UnfinishedRun[]> {
  return pool.any(sql.type(UnfinishedRun)`
    SELECT ${columnsOf(UnfinishedRun, { table: 'rule_runs' })} FROM rule_runs
    WHERE status IN ('running', 'undoing') AND created_at < ${before.toISOString()}
    ORDER BY rule_run_id LIMIT ${limit}`)
}

/**
 * Deletes ended runs of all accounts that were created before an instant: at most `limit` changes,
 * then runs without any. Transactions keep their values.
 */
export async function deleteRuns({ pool }: Database, before: Date, limit: number): Promise<void> {
  const old = sql.fragment`
    SELECT account_id, rule_run_id FROM rule_runs
    WHERE created_at < ${before.toISOString()} AND status NOT IN ('running', 'undoing')
    ORDER BY created_at LIMIT 200`
  await pool.query(sql.unsafe`
    DELETE FROM rule_run_changes
    WHERE (account_id, rule_run_id, bank_account_id, transaction_id) IN (
      SELECT account_id, rule_run_id, bank_account_id, transaction_id
      FROM (${old}) AS old JOIN rule_run_changes USING (account_id, rule_run_id) LIMIT ${limit})`)
  await pool.query(sql.unsafe`
    DELETE FROM rule_runs WHERE (account_id, rule_run_id) IN (${old}) AND NOT EXISTS (
      SELECT FROM rule_run_changes AS one WHERE one.account_id = rule_runs.account_id
        AND one.rule_run_id = rule_runs.rule_run_id)`)
}
