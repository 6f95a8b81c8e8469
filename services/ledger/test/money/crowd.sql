-- Rows of fifty other accounts, so that a sequential scan costs more than an index scan.
INSERT INTO links (account_id, link_id, link_type, institution_name, created_at, created_by,
  updated_at)
SELECT 'acct_' || a, 'link_' || a || '_' || l, 'manual', 'Bank', now(), 'user_1', now()
FROM generate_series(1, 50) AS a, generate_series(1, 20) AS l;

INSERT INTO bank_accounts (account_id, bank_account_id, link_id, link_type, currency,
  available_balance, current_balance, limit_balance, expenses, goals, name, original_name,
  account_type, account_sub_type, status, last_updated, created_at, updated_at)
SELECT account_id, 'bac_' || link_id, link_id, 'manual', 'USD', 0, 0, 0, 0, 0, 'Account', '',
  'depository', 'checking', 'active', now(), now(), now() FROM links;

INSERT INTO envelopes (account_id, bank_account_id, spending_id, spending_type, current_amount,
  used_amount, period_spent, version, opened_at)
SELECT account_id, bank_account_id, 'spnd_' || n, 'expense', 0, 0, 0, 1, now()
FROM bank_accounts, generate_series(1, 10) AS n;

INSERT INTO transactions (account_id, bank_account_id, transaction_id, amount, spending_id,
  spending_amount, categories, date, name, original_name, original_merchant_name, is_pending,
  source, created_at)
SELECT account_id, bank_account_id, 'txn_' || n, 100,
  CASE WHEN n % 2 = 0 THEN 'spnd_1' END, CASE WHEN n % 2 = 0 THEN 0 END, '{}', now(), 'x', 'x',
  'x', false, 'manual', now()
FROM bank_accounts, generate_series(1, 20) AS n;

INSERT INTO journal (account_id, bank_account_id, operation_id, spending_id, pot, delta, amount,
  cause, cause_id, created_at)
SELECT account_id, bank_account_id, 'op_' || transaction_id, spending_id, 'envelope', 0, 0,
  'transaction', transaction_id, now() FROM transactions;

INSERT INTO files (account_id, bank_account_id, file_id, kind, name, content_type, size,
  created_at, created_by)
SELECT account_id, bank_account_id, 'file_' || bank_account_id || n, 'transactions/uploads',
  'a.ofx', 'application/octet-stream', 1, now(), 'user_1'
FROM bank_accounts, generate_series(1, 5) AS n;

INSERT INTO uploads (account_id, bank_account_id, transaction_upload_id, file_id, format,
  status, created_at, created_by, imported_count, skipped_count)
SELECT account_id, bank_account_id, 'txup_' || file_id, file_id, 'ofx', 'complete', now(),
  'user_1', 0, 0 FROM files;

INSERT INTO transaction_import_mappings (account_id, transaction_import_mapping_id, signature,
  mapping, created_at, updated_at, created_by)
SELECT account_id, 'txix_' || bank_account_id, 'x', '{}', now(), now(), 'user_1'
FROM bank_accounts;

INSERT INTO transaction_imports (account_id, bank_account_id, transaction_import_id, file_id,
  transaction_import_mapping_id, transaction_upload_id, headers, delimeter, status, created_at,
  updated_at, created_by)
SELECT account_id, bank_account_id, 'txim_' || file_id, file_id, 'txix_' || bank_account_id,
  transaction_upload_id, '{}', ',', 'pending-processing', now(), now(), 'user_1' FROM uploads;

INSERT INTO provider_accounts (account_id, bank_account_id, name, official_name, currency,
  account_type, account_sub_type, available_balance, current_balance, limit_balance,
  created_at, created_by, updated_at)
SELECT account_id, bank_account_id, 'x', 'x', 'USD', 'depository', 'checking', 0, 0, 0, now(),
  'user_1', now() FROM bank_accounts;

INSERT INTO provider_account_ids (account_id, link_id, provider_account_id, bank_account_id,
  is_current, match_reason, created_at)
SELECT account_id, link_id, 'p_' || bank_account_id || n, bank_account_id, n = 1, 'new', now()
FROM bank_accounts, generate_series(1, 2) AS n;

INSERT INTO provider_transactions (account_id, bank_account_id, provider_transaction_id,
  provider_account_id, record_id, transaction_id, pending_provider_transaction_id, amount,
  currency, date, name, merchant_name, categories, is_pending, match_reason, created_at)
SELECT account_id, bank_account_id, 'p_' || transaction_id, 'x', 'ptxn_' || transaction_id,
  transaction_id, 'q_' || transaction_id, 100, 'USD', now(), 'x', 'x', '{}', false, 'new', now()
FROM transactions WHERE transaction_id LIKE 'txn\_1%';

INSERT INTO operations (account_id, bank_account_id, operation_id, reply, created_at)
SELECT account_id, bank_account_id, 'run_' || n, '', now()
FROM bank_accounts, generate_series(1, 5) AS n;

INSERT INTO bulk_operations (account_id, bank_account_id, operation_id, changes, created_at)
SELECT account_id, bank_account_id, 'op_' || bank_account_id || n, '', now()
FROM bank_accounts, generate_series(1, 5) AS n;

INSERT INTO account_settings (account_id, timezone, locale, version)
SELECT 'acct_' || a, 'UTC', 'en_US', 1 FROM generate_series(1, 10000) AS a;

INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
SELECT account_id, 'Transfer', bank_account_id, '', '' FROM bank_accounts;
