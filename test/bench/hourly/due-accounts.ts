import { withClient } from '@coffer/host/testing/database'

/**
 * INSERT statements for accounts with one bank account, one funding schedule that was due at
 * midnight (UTC), and four envelopes, one of them due. Amounts are zero, so `coffer audit` finds
 * nothing. The plans of every tenth account create a deposit and a bill automatically.
 */
const tables = [
  `INSERT INTO ledger.links
     (account_id, link_id, link_type, institution_name, created_at, created_by, updated_at)
   SELECT acct, 'link_' || tail, 'manual', 'Bank', now(), 'bench', now() FROM due`,
  `INSERT INTO ledger.bank_accounts (account_id, bank_account_id, link_id, link_type, currency,
     available_balance, current_balance, limit_balance, expenses, goals, name, original_name,
     account_type, account_sub_type, status, last_updated, created_at, updated_at)
   SELECT acct, bac, 'link_' || tail, 'manual', 'USD', 0, 0, 0, 0, 0, 'Checking', 'Checking',
     'depository', 'checking', 'active', now(), now(), now() FROM due`,
  `INSERT INTO ledger.envelopes (account_id, bank_account_id, spending_id, spending_type,
     current_amount, used_amount, period_spent, version, opened_at)
   SELECT acct, bac, 'spnd_' || tail || e, 'expense', 0, 0, 0, 1, now()
   FROM due, generate_series(0, 3) e`,
  `INSERT INTO budgeting.account_settings (account_id, timezone, version)
   SELECT acct, 'UTC', 1 FROM due`,
  `INSERT INTO budgeting.funding_schedules (account_id, bank_account_id, funding_schedule_id, name,
     ruleset, exclude_weekends, wait_for_deposit, auto_create_transaction, estimated_deposit,
     next_recurrence, next_recurrence_original, created_at)
   SELECT acct, bac, 'fund_' || tail, 'Pay', E'DTSTART:20260101T000000Z\\nRRULE:FREQ=DAILY', false,
     false, n % 10 = 0, 100000, date_trunc('day', now()), date_trunc('day', now()), now() FROM due`,
  `INSERT INTO budgeting.spending (account_id, bank_account_id, spending_id, funding_schedule_id,
     spending_type, name, target_amount, current_amount, used_amount, amounts_version, ruleset,
     next_recurrence, next_contribution_amount, is_behind, is_paused, auto_create_transaction,
     calculated_at, created_at, state, opening_attempts)
   SELECT acct, bac, 'spnd_' || tail || e, 'fund_' || tail, 'expense', 'Envelope ' || e, 10000, 0,
     0, 1, E'DTSTART:20260101T000000Z\\nRRULE:FREQ=WEEKLY',
     date_trunc('day', now()) + e * interval '2 days', 2500, false, false, e + n % 10 = 0,
     date_trunc('day', now()) - interval '1 second', now(), 'open', 1
   FROM due, generate_series(0, 3) e`,
]

const due = `WITH due AS (SELECT 'acct_' || tail AS acct, 'bac_' || tail AS bac, tail, n
  FROM (SELECT lpad(n::text, 25, '0') AS tail, n
    FROM generate_series($1::int + 1, $1 + $2::int) n) AS numbers)`

/** Inserts `count` accounts with work for the hourly job, numbered from `after` + 1. */
export async function loadDueAccounts(
  databaseUrl: string,
  { after, count }: { after: number; count: number },
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('BEGIN')
    for (const insert of tables) await client.query(`${due} ${insert}`, [after, count])
    await client.query('COMMIT')
    await client.query('ANALYZE')
  })
}

/** Counts applied funding runs (`booked`), and schedules and expenses that are due (`left`). */
export function countAdvanced(databaseUrl: string): Promise<{ booked: number; left: number }> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`SELECT
      (SELECT count(*)::int FROM budgeting.funding_runs WHERE state = 'applied') AS booked,
      (SELECT count(*)::int FROM budgeting.funding_schedules WHERE next_recurrence <= now())
        + (SELECT count(*)::int FROM budgeting.spending WHERE next_recurrence <= now()) AS left`)
    return rows[0]
  })
}
