-- Rows of fifty other accounts, so that a sequential scan costs more than an index scan.
INSERT INTO funding_schedules (account_id, bank_account_id, funding_schedule_id, name, ruleset,
  exclude_weekends, wait_for_deposit, auto_create_transaction, next_recurrence,
  next_recurrence_original, created_at)
SELECT 'acct_' || a, 'bac_' || a || '_' || b, 'fund_' || n, 'Pay ' || n, '', false, false,
  false, now(), now(), now()
FROM generate_series(1, 50) AS a, generate_series(1, 20) AS b, generate_series(1, 2) AS n;

INSERT INTO spending (account_id, bank_account_id, spending_id, funding_schedule_id,
  spending_type, name, target_amount, current_amount, used_amount, amounts_version, ruleset,
  next_recurrence, next_contribution_amount, is_behind, is_paused, auto_create_transaction,
  calculated_at, created_at, state, opening_attempts)
SELECT account_id, bank_account_id, funding_schedule_id || n, funding_schedule_id, 'expense',
  funding_schedule_id || n, 1, 0, 0, 1, '', now(), 0, false, false, false, now(), now(),
  'open', 1
FROM funding_schedules, generate_series(1, 10) AS n;

INSERT INTO funding_runs (account_id, bank_account_id, funding_run_id, funding_schedule_id,
  occurrence, state, created_at)
SELECT account_id, bank_account_id, funding_schedule_id || n, funding_schedule_id,
  now() + make_interval(days => n), CASE WHEN n = 1 THEN 'pending' ELSE 'applied' END, now()
FROM funding_schedules, generate_series(1, 10) AS n;

INSERT INTO funding_run_lines (account_id, bank_account_id, funding_run_id, spending_id, amount,
  ceiling)
SELECT account_id, bank_account_id, funding_run_id, 'spnd_' || n, 1, 1
FROM funding_runs, generate_series(1, 3) AS n;

INSERT INTO ended_bank_accounts (account_id, bank_account_id, reason, ended_at)
SELECT 'acct_' || a, 'bac_x' || b, 'removed', now()
FROM generate_series(1, 50) AS a, generate_series(1, 50) AS b;

INSERT INTO account_settings (account_id, timezone, version)
SELECT 'acct_' || a, 'UTC', 1 FROM generate_series(1, 10000) AS a;

INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
SELECT account_id, 'CreateSpending', spending_id || bank_account_id, '', '' FROM spending;
