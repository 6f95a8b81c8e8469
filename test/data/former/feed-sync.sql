-- Migration 0001-feed-links.sql of an earlier release
CREATE TABLE feed_links (
  account_id text NOT NULL,
  feed_link_id text NOT NULL,
  link_id text,
  name text NOT NULL,
  api_url text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'deactivated', 'error')),
  last_manual_sync timestamptz,
  last_successful_update timestamptz,
  last_attempted_update timestamptz,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, feed_link_id),
  CHECK ((status = 'pending') = (link_id IS NULL)),
  CHECK ((status = 'deactivated') = (deleted_at IS NOT NULL))
);
CREATE UNIQUE INDEX feed_links_link ON feed_links (account_id, link_id);
CREATE INDEX feed_links_live ON feed_links (account_id, feed_link_id) WHERE deleted_at IS NULL;

CREATE TABLE feed_keys (
  account_id text NOT NULL,
  feed_link_id text NOT NULL,
  key_id text NOT NULL,
  data_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (account_id, feed_link_id),
  FOREIGN KEY (account_id, feed_link_id) REFERENCES feed_links ON DELETE CASCADE
);
-- Migration 0002-feed-bank-accounts.sql of an earlier release
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
-- Migration 0010-candidates-in-use.sql of an earlier release
ALTER TABLE feed_bank_accounts ADD COLUMN bank_account_id text;
