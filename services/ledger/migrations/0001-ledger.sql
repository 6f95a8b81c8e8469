-- All the money of an account: links, bank accounts, envelopes, transactions, and the journal.

-- Search finds texts by their trigrams. Owners of a database may install this module themselves.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Amounts are minor units of the bank account's currency and stay exact as JSON integers.
CREATE DOMAIN money_amount AS bigint
  CHECK (VALUE BETWEEN -9007199254740991 AND 9007199254740991);

-- Columns that every write of money touches are checked by domains: Postgres parses a domain's
-- CHECK once a session, and a table's CHECK in every statement that writes a row.
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
-- Why a record of a provider was taken for the bank account or transaction that it was taken for.
CREATE DOMAIN match_reason AS text CHECK (VALUE IN
  ('new', 'pending-id', 'posted-first', 're-consent', 'amount-date-name'));

-- Settings of an account, for jobs; identity owns them. The first upload brings the settings of its
-- caller (version 0), identity's events bring later ones.
CREATE TABLE account_settings (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  locale text NOT NULL,
  version bigint NOT NULL
);

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
-- Bounds: what an account has of a kind is counted before it gets another one.
CREATE INDEX links_live ON links (account_id) WHERE deleted_at IS NULL;

-- The aggregate of money, with its envelopes and transactions.
CREATE TABLE bank_accounts (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  link_id text NOT NULL,
  link_type link_type NOT NULL,
  feed_bank_account_id text,
  currency currency_code NOT NULL,
  available_balance money_amount NOT NULL,
  current_balance money_amount NOT NULL,
  limit_balance held_amount NOT NULL,
  -- Sums over its open envelopes, so that a balance is one row.
  expenses held_amount NOT NULL,
  goals held_amount NOT NULL,
  balances_as_of timestamptz,
  mask account_mask,
  name account_name NOT NULL,
  original_name original_account_name NOT NULL,
  account_type account_type NOT NULL,
  account_sub_type account_sub_type NOT NULL,
  status account_status NOT NULL,
  last_updated timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  removed_at timestamptz,
  -- Version of the aggregate: every save raises it. It orders the events of the bank account, and a
  -- save compares it with the version that it was decided on.
  version bigint NOT NULL DEFAULT 1,
  -- The version of the first change of transactions that no search for similar ones has seen. A
  -- save sets it, the sweep clears it.
  unsearched_from bigint,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, link_id) REFERENCES links
) WITH (fillfactor = 70);
CREATE INDEX bank_accounts_of_link ON bank_accounts (account_id, link_id, bank_account_id);
CREATE UNIQUE INDEX bank_accounts_feed ON bank_accounts (account_id, feed_bank_account_id)
  WHERE deleted_at IS NULL AND removed_at IS NULL;
-- Bounds, as links_live.
CREATE INDEX bank_accounts_kept ON bank_accounts (account_id) WHERE removed_at IS NULL;
CREATE INDEX bank_accounts_unsearched ON bank_accounts (account_id, bank_account_id)
  WHERE unsearched_from IS NOT NULL AND deleted_at IS NULL AND removed_at IS NULL;

CREATE TABLE envelopes (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  spending_id text NOT NULL,
  spending_type spending_type NOT NULL,
  current_amount held_amount NOT NULL,
  used_amount held_amount NOT NULL,
  period_spent money_amount NOT NULL,
  version bigint NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id, spending_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  CHECK (closed_at IS NULL OR (current_amount = 0 AND used_amount = 0))
) WITH (fillfactor = 70);
-- Bounds, as links_live.
CREATE INDEX envelopes_open ON envelopes (account_id, bank_account_id) WHERE closed_at IS NULL;

CREATE TABLE transactions (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_id text NOT NULL,
  amount money_amount NOT NULL,
  spending_id text,
  spending_amount held_amount,
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
  source transaction_source NOT NULL,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- The upload that brought it in.
  transaction_upload_id text,
  -- Written by the user; null is none.
  notes text,
  PRIMARY KEY (account_id, bank_account_id, transaction_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  FOREIGN KEY (account_id, bank_account_id, spending_id) REFERENCES envelopes,
  CHECK ((spending_id IS NULL) = (spending_amount IS NULL))
);
CREATE INDEX transactions_newest
  ON transactions (account_id, bank_account_id, date DESC, transaction_id DESC)
  WHERE deleted_at IS NULL;
CREATE INDEX transactions_pending
  ON transactions (account_id, bank_account_id, date DESC, transaction_id DESC)
  WHERE is_pending AND deleted_at IS NULL;
CREATE INDEX transactions_of_envelope
  ON transactions (account_id, bank_account_id, spending_id, date DESC, transaction_id DESC)
  WHERE spending_id IS NOT NULL;
CREATE INDEX transactions_by_envelope
  ON transactions (account_id, bank_account_id, created_by_spending_id)
  WHERE created_by_spending_id IS NOT NULL;
-- Finds what a deleted funding schedule has made.
CREATE INDEX transactions_by_schedule
  ON transactions (account_id, bank_account_id, created_by_funding_schedule_id)
  WHERE created_by_funding_schedule_id IS NOT NULL;
-- Most transactions have no identifier. An index of all of them begins like the others do, so the
-- planner takes it for theirs while it knows nothing of the table.
CREATE UNIQUE INDEX transactions_upload
  ON transactions (account_id, bank_account_id, upload_identifier)
  WHERE upload_identifier IS NOT NULL;
CREATE INDEX transactions_of_upload
  ON transactions (account_id, bank_account_id, transaction_upload_id)
  WHERE transaction_upload_id IS NOT NULL;

-- The text that search looks in, a line for each part: no text that is looked for spans two lines.
CREATE FUNCTION transaction_text(name text, original_name text, merchant_name text,
  original_merchant_name text, notes text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(name, '') || E'\n' || original_name || E'\n' || coalesce(merchant_name, '')
    || E'\n' || original_merchant_name || E'\n' || coalesce(notes, '');

-- The account stands in the key, so that a search reads the account's entries alone. A row's text
-- is some twenty keys: they wait in a pending list and are merged together by the write that fills
-- it. A search reads the whole list, so it stays small: 64 kB are the texts of about 200 rows. The
-- extension may be in another schema than this one.
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

-- Append-only: why every amount is what it is.
CREATE TABLE journal (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  entry_id bigint GENERATED ALWAYS AS IDENTITY,
  operation_id text NOT NULL,
  spending_id text,
  pot journal_pot NOT NULL,
  delta money_amount NOT NULL,
  amount money_amount NOT NULL,
  cause journal_cause NOT NULL,
  cause_id text NOT NULL,
  created_at timestamptz NOT NULL,
  -- The user who had it changed, or user_system; null where it was not noted.
  created_by text,
  -- The day of the transaction that moved a balance, for when the transaction itself is gone; null
  -- for every other cause, and where an older version booked it.
  date timestamptz,
  PRIMARY KEY (account_id, bank_account_id, entry_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  CONSTRAINT journal_once UNIQUE NULLS NOT DISTINCT
    (account_id, operation_id, bank_account_id, spending_id, pot, cause)
);
CREATE INDEX journal_of_envelope ON journal (account_id, bank_account_id, spending_id, entry_id)
  WHERE spending_id IS NOT NULL;
-- Balances that a user or a file has stated, and those that an undo took back.
CREATE INDEX journal_of_stated_balances ON journal (account_id, bank_account_id, entry_id)
  WHERE cause IN ('opening', 'manual-edit', 'upload', 'undo');

-- Operations that another service names (funding runs, ends of periods), with what they answered.
CREATE TABLE operations (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  operation_id text NOT NULL,
  reply bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, operation_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts
);

-- Files that users upload. The bytes are in storage until deleted_at; the row stays as a record.
CREATE TABLE files (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  file_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('transactions/uploads', 'transactions/imports')),
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
CREATE INDEX files_newest ON files (account_id, file_id DESC) WHERE deleted_at IS NULL;
CREATE INDEX files_to_expire ON files (expires_at) WHERE deleted_at IS NULL;

-- Files that are read into transactions.
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
  format text NOT NULL CHECK (format IN ('ofx', 'camt053', 'qif', 'csv')),
  undone_at timestamptz,
  -- The instant that the balances in the file hold for.
  balances_as_of timestamptz,
  PRIMARY KEY (account_id, bank_account_id, transaction_upload_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  FOREIGN KEY (account_id, file_id) REFERENCES files,
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK (undone_at IS NULL OR status = 'complete')
);
CREATE INDEX uploads_of_file ON uploads (account_id, file_id);
CREATE INDEX uploads_unfinished ON uploads (transaction_upload_id)
  WHERE status IN ('pending', 'processing');
-- Bounds, as links_live. In other words than uploads_unfinished, which the planner would read as a
-- whole instead.
CREATE INDEX uploads_under_way ON uploads (account_id) WHERE status NOT IN ('complete', 'failed');

-- How columns of CSV files become transactions: never changed, found again by signature.
CREATE TABLE transaction_import_mappings (
  account_id text NOT NULL,
  transaction_import_mapping_id text NOT NULL,
  signature text NOT NULL,
  mapping jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  created_by text NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, transaction_import_mapping_id)
);
CREATE INDEX transaction_import_mappings_of_signature
  ON transaction_import_mappings (account_id, signature, transaction_import_mapping_id DESC);
-- Bounds, as links_live.
CREATE INDEX transaction_import_mappings_live ON transaction_import_mappings (account_id)
  WHERE deleted_at IS NULL;

-- CSV files before they become an upload, which then processes them: from there on the upload's
-- status is the import's.
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
  -- A message ImportPreview.
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

-- Records of providers as received, apart from what users make of them.
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

-- Every ID by which a provider ever knew a bank account. A renewed consent brings new ones; the ID
-- seen last is current.
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

-- One row for each ID that a provider gave a transaction: while it was pending, once it was posted,
-- again under a renewed consent. At most one of them is live and describes the transaction; the
-- others were replaced by it or taken back.
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
-- Finds matches by amount and date.
CREATE INDEX provider_transactions_alike
  ON provider_transactions (account_id, bank_account_id, amount, date);

-- Similar transactions of a bank account, found anew after its transactions have changed. members
-- has no foreign key: a deleted transaction stays until the next search.
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
-- IDs of transactions are unique among all accounts. Without a pending list a look-up costs the
-- same right after a search as later; the search can wait.
CREATE INDEX transaction_clusters_of_member ON transaction_clusters USING gin (members)
  WITH (fastupdate = off);
