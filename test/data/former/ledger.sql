-- Migration 0001-ledger.sql of an earlier release
CREATE DOMAIN money_amount AS bigint
  CHECK (VALUE BETWEEN -9007199254740991 AND 9007199254740991);

CREATE TABLE links (
  account_id text NOT NULL,
  link_id text NOT NULL,
  link_type text NOT NULL CHECK (link_type IN ('manual', 'aggregator', 'feed', 'unknown')),
  feed_link_id text,
  institution_name text NOT NULL CHECK (char_length(institution_name) BETWEEN 1 AND 300),
  description text CHECK (char_length(description) <= 300),
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  cleaned_at timestamptz,
  PRIMARY KEY (account_id, link_id),
  CONSTRAINT links_feed_link UNIQUE (account_id, feed_link_id)
);
CREATE INDEX links_to_clean ON links (deleted_at)
  WHERE deleted_at IS NOT NULL AND cleaned_at IS NULL;

CREATE TABLE bank_accounts (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  link_id text NOT NULL,
  link_type text NOT NULL CHECK (link_type IN ('manual', 'aggregator', 'feed', 'unknown')),
  feed_bank_account_id text,
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  available_balance money_amount NOT NULL,
  current_balance money_amount NOT NULL,
  limit_balance money_amount NOT NULL CHECK (limit_balance >= 0),
  expenses money_amount NOT NULL CHECK (expenses >= 0),
  goals money_amount NOT NULL CHECK (goals >= 0),
  balances_as_of timestamptz,
  mask text CHECK (char_length(mask) = 4),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  original_name text NOT NULL CHECK (char_length(original_name) <= 300),
  account_type text NOT NULL
    CHECK (account_type IN ('depository', 'credit', 'loan', 'investment', 'other')),
  account_sub_type text NOT NULL CHECK (account_sub_type IN ('checking', 'savings', 'hsa', 'cd',
    'money market', 'paypal', 'prepaid', 'cash management', 'ebt', 'credit card', 'auto', 'other')),
  status text NOT NULL CHECK (status IN ('active', 'inactive', 'unknown')),
  last_updated timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  removed_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, link_id) REFERENCES links
) WITH (fillfactor = 70);
CREATE INDEX bank_accounts_of_link ON bank_accounts (account_id, link_id, bank_account_id);
CREATE UNIQUE INDEX bank_accounts_feed ON bank_accounts (account_id, feed_bank_account_id)
  WHERE deleted_at IS NULL AND removed_at IS NULL;

CREATE TABLE envelopes (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  spending_id text NOT NULL,
  spending_type text NOT NULL CHECK (spending_type IN ('expense', 'goal')),
  current_amount money_amount NOT NULL CHECK (current_amount >= 0),
  used_amount money_amount NOT NULL CHECK (used_amount >= 0),
  period_spent money_amount NOT NULL,
  version bigint NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id, spending_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  CHECK (closed_at IS NULL OR (current_amount = 0 AND used_amount = 0))
) WITH (fillfactor = 70);

CREATE TABLE transactions (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_id text NOT NULL,
  amount money_amount NOT NULL,
  spending_id text,
  spending_amount money_amount CHECK (spending_amount >= 0),
  created_by_spending_id text,
  created_by_funding_schedule_id text,
  categories text[] NOT NULL,
  category text,
  date timestamptz NOT NULL,
  name text CHECK (char_length(name) <= 300),
  original_name text NOT NULL,
  merchant_name text CHECK (char_length(merchant_name) <= 300),
  original_merchant_name text NOT NULL,
  is_pending boolean NOT NULL,
  upload_identifier text,
  source text NOT NULL CHECK (source IN ('aggregator', 'upload', 'manual', 'feed')),
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id, transaction_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  FOREIGN KEY (account_id, bank_account_id, spending_id) REFERENCES envelopes,
  CONSTRAINT transactions_upload UNIQUE (account_id, bank_account_id, upload_identifier),
  CHECK ((spending_id IS NULL) = (spending_amount IS NULL))
);
CREATE INDEX transactions_newest
  ON transactions (account_id, bank_account_id, date DESC, transaction_id DESC)
  WHERE deleted_at IS NULL;
CREATE INDEX transactions_of_envelope
  ON transactions (account_id, bank_account_id, spending_id, date DESC, transaction_id DESC)
  WHERE spending_id IS NOT NULL;
CREATE INDEX transactions_by_envelope
  ON transactions (account_id, bank_account_id, created_by_spending_id)
  WHERE created_by_spending_id IS NOT NULL;

CREATE TABLE journal (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  entry_id bigint GENERATED ALWAYS AS IDENTITY,
  operation_id text NOT NULL,
  spending_id text,
  pot text NOT NULL CHECK (pot IN ('available', 'current', 'limit', 'envelope', 'used')),
  delta money_amount NOT NULL,
  amount money_amount NOT NULL,
  cause text NOT NULL CHECK (cause IN ('opening', 'transaction', 'deletion', 'kept', 'transfer',
    'funding', 'period-closed', 'envelope-closed', 'sync', 'upload', 'manual-edit')),
  cause_id text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, entry_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  CONSTRAINT journal_once UNIQUE NULLS NOT DISTINCT
    (account_id, operation_id, bank_account_id, spending_id, pot, cause)
);
CREATE INDEX journal_of_envelope ON journal (account_id, bank_account_id, spending_id, entry_id)
  WHERE spending_id IS NOT NULL;

CREATE TABLE operations (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  operation_id text NOT NULL,
  reply bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, operation_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts
);
-- Migration 0002-uploads.sql of an earlier release
CREATE TABLE files (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  file_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('transactions/uploads')),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  content_type text NOT NULL,
  size bigint NOT NULL CHECK (size >= 0),
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  expires_at timestamptz,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, file_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts
);
CREATE INDEX files_of_bank_account ON files (account_id, bank_account_id);
CREATE INDEX files_to_expire ON files (expires_at) WHERE deleted_at IS NULL;

CREATE TABLE uploads (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_upload_id text NOT NULL,
  file_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'failed', 'complete')),
  error text,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  processed_at timestamptz,
  completed_at timestamptz,
  imported_count bigint NOT NULL,
  skipped_count bigint NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, transaction_upload_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  FOREIGN KEY (account_id, file_id) REFERENCES files,
  CHECK ((status = 'failed') = (error IS NOT NULL))
);
CREATE INDEX uploads_of_file ON uploads (account_id, file_id);
CREATE INDEX uploads_unfinished ON uploads (transaction_upload_id)
  WHERE status IN ('pending', 'processing');

ALTER TABLE transactions ADD COLUMN transaction_upload_id text;
-- Migration 0003-account-settings.sql of an earlier release
CREATE TABLE account_settings (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  locale text NOT NULL,
  version bigint NOT NULL
);
-- Migration 0010-clusters.sql of an earlier release
CREATE TABLE transaction_clusters (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_cluster_id text NOT NULL,
  signature text NOT NULL,
  centroid text NOT NULL,
  name text NOT NULL,
  original_name text NOT NULL,
  members text[] NOT NULL,
  debug jsonb NOT NULL,
  merchant jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, transaction_cluster_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE,
  CONSTRAINT transaction_clusters_once
    UNIQUE (account_id, bank_account_id, signature, centroid)
);
CREATE INDEX transaction_clusters_of_member ON transaction_clusters USING gin (members)
  WITH (fastupdate = off);
-- Migration 0020-imports.sql of an earlier release
ALTER TABLE uploads ADD COLUMN format text NOT NULL DEFAULT 'ofx'
  CHECK (format IN ('ofx', 'camt053', 'qif', 'csv'));
ALTER TABLE uploads ALTER COLUMN format DROP DEFAULT;

ALTER TABLE files DROP CONSTRAINT files_kind_check;
ALTER TABLE files ADD CONSTRAINT files_kind_check
  CHECK (kind IN ('transactions/uploads', 'transactions/imports'));

CREATE INDEX files_newest ON files (account_id, file_id DESC) WHERE deleted_at IS NULL;

CREATE TABLE transaction_import_mappings (
  account_id text NOT NULL,
  transaction_import_mapping_id text NOT NULL,
  signature text NOT NULL,
  mapping jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  created_by text NOT NULL,
  PRIMARY KEY (account_id, transaction_import_mapping_id)
);
CREATE INDEX transaction_import_mappings_of_signature
  ON transaction_import_mappings (account_id, signature, transaction_import_mapping_id DESC);

CREATE TABLE transaction_imports (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_import_id text NOT NULL,
  file_id text NOT NULL,
  transaction_import_mapping_id text,
  transaction_upload_id text,
  headers text[] NOT NULL,
  delimeter text NOT NULL CHECK (char_length(delimeter) = 1),
  status text NOT NULL CHECK (status IN
    ('mapping', 'pending-preview', 'preview', 'pending-processing', 'failed')),
  error text,
  preview bytea,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  created_by text NOT NULL,
  completed_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id, transaction_import_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE,
  FOREIGN KEY (account_id, file_id) REFERENCES files ON DELETE CASCADE,
  FOREIGN KEY (account_id, transaction_import_mapping_id) REFERENCES transaction_import_mappings,
  FOREIGN KEY (account_id, bank_account_id, transaction_upload_id) REFERENCES uploads
    ON DELETE CASCADE,
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK ((status = 'pending-processing') = (transaction_upload_id IS NOT NULL)),
  CHECK (status <> 'preview' OR preview IS NOT NULL)
);
CREATE INDEX transaction_imports_of_file ON transaction_imports (account_id, file_id);
CREATE INDEX transaction_imports_of_upload
  ON transaction_imports (account_id, bank_account_id, transaction_upload_id);
CREATE INDEX transaction_imports_of_mapping
  ON transaction_imports (account_id, transaction_import_mapping_id);
CREATE INDEX transaction_imports_to_preview ON transaction_imports (transaction_import_id)
  WHERE status = 'pending-preview';
-- Migration 0030-provider-records.sql of an earlier release
CREATE DOMAIN match_reason AS text CHECK (VALUE IN
  ('new', 'pending-id', 'posted-first', 're-consent', 'amount-date-name'));

CREATE TABLE provider_accounts (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  name text NOT NULL,
  official_name text NOT NULL,
  mask text,
  currency text NOT NULL,
  account_type text NOT NULL,
  account_sub_type text NOT NULL,
  available_balance money_amount NOT NULL,
  current_balance money_amount NOT NULL,
  limit_balance money_amount NOT NULL,
  raw text,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);

CREATE TABLE provider_account_ids (
  account_id text NOT NULL,
  link_id text NOT NULL,
  provider_account_id text NOT NULL,
  bank_account_id text NOT NULL,
  is_current boolean NOT NULL,
  match_reason match_reason NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, link_id, provider_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES provider_accounts ON DELETE CASCADE
);
CREATE INDEX provider_account_ids_of_bank_account
  ON provider_account_ids (account_id, bank_account_id);

CREATE TABLE provider_transactions (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  provider_transaction_id text NOT NULL,
  provider_account_id text NOT NULL,
  record_id text NOT NULL,
  transaction_id text NOT NULL,
  pending_provider_transaction_id text,
  amount money_amount NOT NULL,
  currency text NOT NULL,
  date timestamptz NOT NULL,
  authorized_date timestamptz,
  name text NOT NULL,
  merchant_name text NOT NULL,
  categories text[] NOT NULL,
  category text,
  is_pending boolean NOT NULL,
  raw text,
  match_reason match_reason NOT NULL,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id, provider_transaction_id),
  FOREIGN KEY (account_id, bank_account_id, transaction_id) REFERENCES transactions
    ON DELETE CASCADE
);
CREATE INDEX provider_transactions_of_transaction
  ON provider_transactions (account_id, bank_account_id, transaction_id);
CREATE UNIQUE INDEX provider_transactions_live
  ON provider_transactions (account_id, bank_account_id, transaction_id)
  WHERE deleted_at IS NULL;
CREATE INDEX provider_transactions_of_pending
  ON provider_transactions (account_id, bank_account_id, pending_provider_transaction_id)
  WHERE pending_provider_transaction_id IS NOT NULL;
CREATE INDEX provider_transactions_alike
  ON provider_transactions (account_id, bank_account_id, amount, date);
-- Migration 0040-journal-authors.sql of an earlier release
ALTER TABLE journal ADD COLUMN created_by text;
-- Migration 0041-transaction-search.sql of an earlier release
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE FUNCTION transaction_text(name text, original_name text, merchant_name text,
  original_merchant_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(name, '') || E'\n' || original_name || E'\n' || coalesce(merchant_name, '')
    || E'\n' || original_merchant_name;

DO $$
BEGIN
  EXECUTE format(
    'CREATE INDEX transactions_text ON transactions USING gin (
      (ARRAY[account_id || ''/'' || bank_account_id]),
      transaction_text(name, original_name, merchant_name, original_merchant_name) %I.gin_trgm_ops
    ) WITH (fastupdate = off) WHERE deleted_at IS NULL',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
      WHERE extname = 'pg_trgm'));
END $$;

CREATE INDEX transactions_pending
  ON transactions (account_id, bank_account_id, date DESC, transaction_id DESC)
  WHERE is_pending AND deleted_at IS NULL;
-- Migration 0050-undone-uploads.sql of an earlier release
ALTER TABLE uploads ADD COLUMN undone_at timestamptz
  CHECK (undone_at IS NULL OR status = 'complete');
ALTER TABLE uploads ADD COLUMN balances_as_of timestamptz;

ALTER TABLE journal DROP CONSTRAINT journal_cause_check;
ALTER TABLE journal ADD CONSTRAINT journal_cause_check CHECK (cause IN ('opening', 'transaction',
  'deletion', 'kept', 'transfer', 'funding', 'period-closed', 'envelope-closed', 'sync', 'upload',
  'undo', 'manual-edit'));

CREATE INDEX transactions_of_upload
  ON transactions (account_id, bank_account_id, transaction_upload_id)
  WHERE transaction_upload_id IS NOT NULL;
CREATE INDEX journal_of_stated_balances ON journal (account_id, bank_account_id, entry_id)
  WHERE cause IN ('opening', 'manual-edit', 'upload', 'undo');
-- Migration 0060-schedules.sql of an earlier release
CREATE INDEX transactions_by_schedule
  ON transactions (account_id, bank_account_id, created_by_funding_schedule_id)
  WHERE created_by_funding_schedule_id IS NOT NULL;
-- Migration 0080-waiting-searches.sql of an earlier release
CREATE TABLE waiting_searches (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  asked_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
-- Migration 0090-search-pending.sql of an earlier release
ALTER INDEX transactions_text SET (fastupdate = on, gin_pending_list_limit = 64);
-- Migration 0091-domains.sql of an earlier release
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
-- Migration 0100-bounds.sql of an earlier release
CREATE INDEX links_live ON links (account_id) WHERE deleted_at IS NULL;
CREATE INDEX bank_accounts_kept ON bank_accounts (account_id) WHERE removed_at IS NULL;
CREATE INDEX envelopes_open ON envelopes (account_id, bank_account_id) WHERE closed_at IS NULL;
ALTER TABLE transaction_import_mappings ADD COLUMN deleted_at timestamptz;
CREATE INDEX transaction_import_mappings_live ON transaction_import_mappings (account_id)
  WHERE deleted_at IS NULL;
CREATE INDEX uploads_under_way ON uploads (account_id) WHERE status NOT IN ('complete', 'failed');
-- Migration 0100-journal-dates.sql of an earlier release
ALTER TABLE journal ADD COLUMN date timestamptz;
-- Migration 0101-similar-searches.sql of an earlier release
CREATE TABLE similar_searches (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
-- Migration 0110-versions.sql of an earlier release
ALTER TABLE bank_accounts ADD COLUMN version bigint NOT NULL DEFAULT 1;
-- Migration 0120-unsearched.sql of an earlier release
ALTER TABLE bank_accounts ADD COLUMN unsearched_from bigint;
CREATE INDEX bank_accounts_unsearched ON bank_accounts (account_id, bank_account_id)
  WHERE unsearched_from IS NOT NULL AND deleted_at IS NULL AND removed_at IS NULL;
UPDATE bank_accounts SET unsearched_from = version WHERE EXISTS (
  SELECT FROM changes LEFT JOIN similar_searches AS searched
    ON searched.account_id = changes.account_id AND searched.bank_account_id = changes.entity_id
  WHERE changes.account_id = bank_accounts.account_id AND entity_id = bank_accounts.bank_account_id
    AND type = 'coffer.ledger.v1.TransactionsChanged'
    AND (changes.sequence IS NULL OR searched.sequence IS NULL
      OR changes.sequence > searched.sequence)
);
DROP TABLE waiting_searches, similar_searches;
-- Migration 0121-notes.sql of an earlier release
ALTER TABLE transactions ADD COLUMN notes text;

CREATE FUNCTION transaction_text(name text, original_name text, merchant_name text,
  original_merchant_name text, notes text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(name, '') || E'\n' || original_name || E'\n' || coalesce(merchant_name, '')
    || E'\n' || original_merchant_name || E'\n' || coalesce(notes, '');

DROP INDEX transactions_text;
DO $$
BEGIN
  EXECUTE format(
    'CREATE INDEX transactions_text ON transactions USING gin (
      (ARRAY[account_id || ''/'' || bank_account_id]),
      transaction_text(name, original_name, merchant_name, original_merchant_name, notes)
        %I.gin_trgm_ops
    ) WITH (fastupdate = on, gin_pending_list_limit = 64) WHERE deleted_at IS NULL',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
      WHERE extname = 'pg_trgm'));
END $$;
-- Migration 0130-upload-identifiers.sql of an earlier release
ALTER TABLE transactions DROP CONSTRAINT transactions_upload;
CREATE UNIQUE INDEX transactions_upload
  ON transactions (account_id, bank_account_id, upload_identifier)
  WHERE upload_identifier IS NOT NULL;
-- Migration 0140-names.sql of an earlier release
ALTER DOMAIN journal_pot RENAME CONSTRAINT journal_pot_check1 TO journal_pot_check;
ALTER DOMAIN journal_cause RENAME CONSTRAINT journal_cause_check1 TO journal_cause_check;
