import type { Database, Queries } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const Finding = z.object({ accountId: z.string(), rule: z.string(), detail: z.string() })

/** A violation: the account, the name of the violated rule, and the IDs of the rows. */
type Finding = z.infer<typeof Finding>

/** A bank account, an open envelope or a booked run of the ledger. */
interface LedgerItem {
  accountId: string
  bankAccountId: string
  /** Bank account ID, spending ID of an open envelope, or operation ID of a booked run. */
  id: string
  createdAt: Date
}

/** Rows of the ledger in pages; an audit reads each list once. */
interface LedgerPages {
  /** Bank accounts that are neither archived nor removed. */
  bankAccounts: () => AsyncIterable<readonly LedgerItem[]>
  openEnvelopes: () => AsyncIterable<readonly LedgerItem[]>
  bookedRuns: () => AsyncIterable<readonly LedgerItem[]>
}

const findingsMax = 100

const live = sql.fragment`NOT EXISTS (SELECT FROM ended_bank_accounts AS ended
  WHERE ended.account_id = ours.account_id AND ended.bank_account_id = ours.bank_account_id
    AND ended.reason = 'removed')`

/** Statements that select the violations of a rule, keyed by the name of the rule. */
const rules: Record<string, FragmentSqlToken> = {
  'an ended bank account is ended in the ledger': sql.fragment`
    SELECT account_id, bank_account_id AS detail FROM ended_bank_accounts AS ours
    WHERE EXISTS (SELECT FROM ledger_bank_accounts AS theirs
      WHERE theirs.account_id = ours.account_id AND theirs.id = ours.bank_account_id)`,
  'an open plan has an open envelope': sql.fragment`
    SELECT account_id, format('%s: %s', bank_account_id, spending_id) AS detail
    FROM spending AS ours
    WHERE state = 'open' AND ${live} AND NOT EXISTS (SELECT FROM ledger_envelopes AS theirs
      WHERE theirs.account_id = ours.account_id AND theirs.id = ours.spending_id)`,
  'an open envelope has a plan': sql.fragment`
    SELECT account_id, format('%s: %s', bank_account_id, id) AS detail
    FROM ledger_envelopes AS ours
    WHERE ${live} AND NOT EXISTS (SELECT FROM spending
      WHERE spending.account_id = ours.account_id AND spending.spending_id = ours.id)`,
  'an applied run is booked': sql.fragment`
    SELECT account_id, format('%s: %s', bank_account_id, funding_run_id) AS detail
    FROM funding_runs AS ours
    WHERE state = 'applied' AND ${live} AND NOT EXISTS (SELECT FROM ledger_runs AS theirs
      WHERE theirs.account_id = ours.account_id AND theirs.id = ours.funding_run_id)`,
  'a booked run was decided here': sql.fragment`
    SELECT account_id, format('%s: %s', bank_account_id, id) AS detail
    FROM ledger_runs AS ours
    WHERE ${live} AND NOT EXISTS (SELECT FROM funding_runs
      WHERE funding_runs.account_id = ours.account_id AND funding_runs.funding_run_id = ours.id)
      AND NOT EXISTS (SELECT FROM plan_books AS plans
        WHERE plans.account_id = ours.account_id
          AND plans.bank_account_id = ours.bank_account_id
          AND plans.reopened_at >= ours.created_at)`,
}

/**
 * Compares plans and funding runs with the ledger (docs/money.md#audit). Returns up to 100
 * violations for each rule. Concurrent changes may appear as violations, so only a violation that a
 * second audit repeats is an error.
 */
export async function auditPlans({ pool }: Database, ledger: LedgerPages): Promise<Finding[]> {
  // Temporary tables need the same connection during the whole audit. A transaction would stay open
  // during calls to the ledger, so there is none.
  return pool.connect(async (connection) => {
    await stage(connection, 'ledger_bank_accounts', ledger.bankAccounts())
    await stage(connection, 'ledger_envelopes', ledger.openEnvelopes())
    await stage(connection, 'ledger_runs', ledger.bookedRuns())
    const findings: Finding[] = []
    for (const [rule, broken] of Object.entries(rules)) {
      const found = await connection.any(sql.type(Finding)`
        SELECT account_id AS "accountId", ${rule} AS rule, detail FROM (${broken}) AS broken
        ORDER BY account_id, detail LIMIT ${findingsMax}`)
      findings.push(...found)
    }
    return findings
  })
}

/** Copies pages into a temporary table, so that memory is bounded by the size of a page. */
async function stage(
  connection: Queries,
  name: 'ledger_bank_accounts' | 'ledger_envelopes' | 'ledger_runs',
  pages: AsyncIterable<readonly LedgerItem[]>,
): Promise<void> {
  const table = sql.identifier([name])
  // A pooled connection may still have the table of an earlier audit.
  await connection.query(sql.unsafe`DROP TABLE IF EXISTS pg_temp.${table}`)
  await connection.query(sql.unsafe`
    CREATE TEMPORARY TABLE ${table} (account_id text, bank_account_id text, id text,
      created_at timestamptz, PRIMARY KEY (account_id, id))`)
  for await (const page of pages) {
    await connection.query(sql.unsafe`
      INSERT INTO pg_temp.${table} SELECT * FROM ${sql.unnest(
        page.map((one) => [one.accountId, one.bankAccountId, one.id, one.createdAt.toISOString()]),
        ['text', 'text', 'text', 'timestamptz'],
      )} ON CONFLICT DO NOTHING`)
  }
}
