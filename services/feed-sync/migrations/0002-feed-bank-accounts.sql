-- Candidates: the bank accounts that a connection offers. One becomes a bank account of the ledger
-- when its user wants it.

CREATE TABLE feed_bank_accounts (
  account_id text NOT NULL,
  feed_bank_account_id text NOT NULL,
  feed_link_id text NOT NULL,
  feed_id text NOT NULL,
  feed_status text NOT NULL CHECK (feed_status IN ('ACTIVE', 'DISCONNECTED', 'ERROR')),
  name text NOT NULL,
  institution_name text NOT NULL,
  provider text NOT NULL,
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'inactive', 'error')),
  current_balance bigint NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, feed_bank_account_id),
  FOREIGN KEY (account_id, feed_link_id) REFERENCES feed_links,
  CONSTRAINT feed_bank_accounts_feed UNIQUE (account_id, feed_link_id, feed_id)
);
