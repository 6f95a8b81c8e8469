-- Amounts are minor units of the bank account's currency and stay exact as JSON integers.
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

-- The row is the money lock of the account: every write that moves money in it takes it first.
-- expenses and goals are the sums over its open envelopes, so that a balance is one row.
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

-- Append-only: why every amount is what it is.
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
