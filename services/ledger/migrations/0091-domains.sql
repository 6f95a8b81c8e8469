-- A CHECK of a table is read from its text by every statement that writes a row, one of a domain
-- once a session. What a write of money touches is therefore checked by domains.
CREATE DOMAIN held_amount AS money_amount CHECK (VALUE >= 0);
CREATE DOMAIN link_type AS text
  CHECK (VALUE IN ('manual', 'aggregator', 'feed', 'unknown'));
CREATE DOMAIN currency_code AS text CHECK (VALUE ~ '^[A-Z]{3}$');
CREATE DOMAIN account_mask AS text CHECK (char_length(VALUE) = 4);
CREATE DOMAIN account_name AS text CHECK (char_length(VALUE) BETWEEN 1 AND 300);
CREATE DOMAIN original_account_name AS text CHECK (char_length(VALUE) <= 300);
CREATE DOMAIN account_type AS text
  CHECK (VALUE IN ('depository', 'credit', 'loan', 'investment', 'other'));
CREATE DOMAIN account_sub_type AS text CHECK (VALUE IN ('checking', 'savings', 'hsa', 'cd',
  'money market', 'paypal', 'prepaid', 'cash management', 'ebt', 'credit card', 'auto', 'other'));
CREATE DOMAIN account_status AS text CHECK (VALUE IN ('active', 'inactive', 'unknown'));
CREATE DOMAIN spending_type AS text CHECK (VALUE IN ('expense', 'goal'));
CREATE DOMAIN transaction_source AS text
  CHECK (VALUE IN ('aggregator', 'upload', 'manual', 'feed'));
CREATE DOMAIN journal_pot AS text
  CHECK (VALUE IN ('available', 'current', 'limit', 'envelope', 'used'));
CREATE DOMAIN journal_cause AS text CHECK (VALUE IN ('opening', 'transaction', 'deletion', 'kept',
  'transfer', 'funding', 'period-closed', 'envelope-closed', 'sync', 'upload', 'undo',
  'manual-edit'));

ALTER TABLE bank_accounts
  DROP CONSTRAINT bank_accounts_link_type_check, ALTER link_type TYPE link_type,
  DROP CONSTRAINT bank_accounts_currency_check, ALTER currency TYPE currency_code,
  DROP CONSTRAINT bank_accounts_limit_balance_check, ALTER limit_balance TYPE held_amount,
  DROP CONSTRAINT bank_accounts_expenses_check, ALTER expenses TYPE held_amount,
  DROP CONSTRAINT bank_accounts_goals_check, ALTER goals TYPE held_amount,
  DROP CONSTRAINT bank_accounts_mask_check, ALTER mask TYPE account_mask,
  DROP CONSTRAINT bank_accounts_name_check, ALTER name TYPE account_name,
  DROP CONSTRAINT bank_accounts_original_name_check,
  ALTER original_name TYPE original_account_name,
  DROP CONSTRAINT bank_accounts_account_type_check, ALTER account_type TYPE account_type,
  DROP CONSTRAINT bank_accounts_account_sub_type_check,
  ALTER account_sub_type TYPE account_sub_type,
  DROP CONSTRAINT bank_accounts_status_check, ALTER status TYPE account_status;

ALTER TABLE envelopes
  DROP CONSTRAINT envelopes_spending_type_check, ALTER spending_type TYPE spending_type,
  DROP CONSTRAINT envelopes_current_amount_check, ALTER current_amount TYPE held_amount,
  DROP CONSTRAINT envelopes_used_amount_check, ALTER used_amount TYPE held_amount;

ALTER TABLE transactions
  DROP CONSTRAINT transactions_source_check, ALTER source TYPE transaction_source,
  DROP CONSTRAINT transactions_spending_amount_check, ALTER spending_amount TYPE held_amount;

ALTER TABLE journal
  DROP CONSTRAINT journal_pot_check, ALTER pot TYPE journal_pot,
  DROP CONSTRAINT journal_cause_check, ALTER cause TYPE journal_cause;
