-- Migration 0001-kit.sql of an earlier release
CREATE TABLE changes (
  change_id text PRIMARY KEY,
  account_id text NOT NULL,
  type text NOT NULL,
  entity_id text NOT NULL,
  version bigint NOT NULL,
  payload bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  sequence bigint,
  published_at timestamptz
);
CREATE INDEX changes_unpublished ON changes (change_id) WHERE published_at IS NULL;
CREATE INDEX changes_of_account ON changes (account_id, sequence);
CREATE INDEX changes_by_age ON changes (created_at);

CREATE TABLE change_sequences (
  account_id text PRIMARY KEY,
  last_sequence bigint NOT NULL
);

CREATE TABLE inbox (
  consumer text NOT NULL,
  change_id text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, change_id)
);
CREATE INDEX inbox_by_age ON inbox (received_at);

CREATE TABLE idempotency_keys (
  account_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  reply bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, route, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
-- Migration 0010-deleted-accounts.sql of an earlier release
CREATE TABLE deleted_accounts (
  account_id text PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
