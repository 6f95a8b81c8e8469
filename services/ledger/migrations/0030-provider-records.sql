-- What providers say, as received, apart from what users make of it.

-- Why something a provider sent was taken for what it was taken for.
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

-- Every ID by which a provider ever knew a bank account. A renewed consent brings new ones; the
-- one seen last is the account's own.
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

-- One row for each ID that a provider gave a transaction: while it was pending, once it was
-- posted, again under a renewed consent. At most one of them is live and says what the transaction
-- is; the others were replaced by it or taken back.
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
-- Where matches by what a transaction looks like are looked for.
CREATE INDEX provider_transactions_alike
  ON provider_transactions (account_id, bank_account_id, amount, date);
