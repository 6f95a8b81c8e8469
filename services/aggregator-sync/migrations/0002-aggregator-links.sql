-- Links over the aggregator. A row is creating until the ledger has the link and its bank accounts.
-- It stays after the link's deletion, so that the deleted link can still be shown. The table
-- connections is unused from here on: the version before marks rows there as released without a
-- call to the aggregator.
CREATE TABLE aggregator_links (
  account_id text NOT NULL,
  link_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('creating', 'pending', 'setup', 'error',
    'pending_expiration', 'revoked', 'deactivated', 'unknown')),
  -- Null until the answer to the exchange of the public token is stored.
  item_id text,
  institution_id text NOT NULL DEFAULT '',
  institution_name text NOT NULL,
  products text[] NOT NULL,
  -- As registered at the aggregator.
  webhook_url text,
  -- The accounts that the user chose, by the aggregator's IDs; empty once the link is created.
  chosen_accounts text[] NOT NULL DEFAULT '{}',
  error_code text,
  expiration_date timestamptz,
  new_accounts_available boolean NOT NULL DEFAULT false,
  -- Instant of the aggregator's last statement about the status: older ones are ignored.
  status_as_of timestamptz,
  -- Occasion of the last mail: its reason and instant.
  noticed_for text,
  -- The loop over the pages of changes: cursor of its first page, and of its next page. The latter
  -- is null between loops. A loop that is restarted gets the next number.
  cursor text,
  page_cursor text,
  loop_number integer NOT NULL DEFAULT 0,
  -- Begin of a whole loop, which reads from the beginning instead of the cursor; null between loops
  -- and in others. A whole loop is due after a bank account was added.
  whole_loop_started_at timestamptz,
  whole_requested_at timestamptz,
  last_account_sync timestamptz,
  -- State of the syncs, as in feed_links of feed-sync.
  requested_at timestamptz,
  next_sync_at timestamptz,
  sync_run_id text,
  sync_started_at timestamptz,
  sync_is_manual boolean NOT NULL DEFAULT false,
  failures_in_row integer NOT NULL DEFAULT 0,
  fault_code text,
  -- The aggregator's words, without tokens.
  fault_detail text,
  fault_at timestamptz,
  last_manual_sync timestamptz,
  last_successful_update timestamptz,
  last_attempted_update timestamptz,
  added_count integer NOT NULL DEFAULT 0,
  changed_count integer NOT NULL DEFAULT 0,
  matched_count integer NOT NULL DEFAULT 0,
  removed_count integer NOT NULL DEFAULT 0,
  skipped_count integer NOT NULL DEFAULT 0,
  -- Number of ended syncs.
  sync_count bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- When the item was removed at the aggregator and its token dropped.
  released_at timestamptz,
  PRIMARY KEY (account_id, link_id),
  CHECK ((status = 'deactivated') = (deleted_at IS NOT NULL)),
  CHECK (item_id IS NOT NULL OR status IN ('creating', 'deactivated')),
  CHECK (deleted_at IS NULL OR next_sync_at IS NULL),
  CHECK (released_at IS NULL OR deleted_at IS NOT NULL)
);
-- Not by account: a webhook names the item only, and an item belongs to one link of all accounts.
CREATE UNIQUE INDEX aggregator_links_item ON aggregator_links (item_id);
-- The schedule's pages of due links, of all accounts.
CREATE INDEX aggregator_links_due ON aggregator_links (next_sync_at, account_id, link_id)
  WHERE next_sync_at IS NOT NULL;
-- Requests and syncs that were lost, and links whose creation or release has not ended.
CREATE INDEX aggregator_links_unfinished ON aggregator_links (account_id, link_id)
  WHERE requested_at IS NOT NULL OR sync_run_id IS NOT NULL OR status = 'creating'
    OR (deleted_at IS NOT NULL AND released_at IS NULL);
-- Links whose consent ends.
CREATE INDEX aggregator_links_expiring ON aggregator_links (expiration_date, account_id, link_id)
  WHERE deleted_at IS NULL AND expiration_date IS NOT NULL;

-- Tokens of items, sealed: AES-256-GCM under a data key of their own. The public token while a link
-- is being created, then the access token.
CREATE TABLE aggregator_tokens (
  account_id text NOT NULL,
  link_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('public', 'access')),
  key_id text NOT NULL,
  data_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (account_id, link_id),
  FOREIGN KEY (account_id, link_id) REFERENCES aggregator_links ON DELETE CASCADE
);

-- Link tokens that no user has completed, sealed, one for each user.
CREATE TABLE link_tokens (
  account_id text NOT NULL,
  user_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  key_id text NOT NULL,
  data_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (account_id, user_id)
);

-- Transactions that the loop which runs has added: a restarted loop removes those that it no longer
-- lists. No foreign key: its check of 50,000 rows would lock the same link each time.
CREATE TABLE loop_items (
  account_id text NOT NULL,
  link_id text NOT NULL,
  provider_transaction_id text NOT NULL,
  bank_account_id text NOT NULL,
  -- The last loop that listed the transaction.
  loop_number integer NOT NULL,
  PRIMARY KEY (account_id, link_id, provider_transaction_id)
);

-- The call in flight of an item, which at most one process may hold, and numbers of calls. Each
-- call updates its row twice.
CREATE TABLE item_calls (
  account_id text NOT NULL,
  link_id text NOT NULL,
  -- The call in flight; a holder that died loses it at held_until.
  holder text,
  held_until timestamptz,
  -- Calls of the minute that began at this instant, by endpoint.
  minute timestamptz,
  minute_counts jsonb NOT NULL DEFAULT '{}',
  -- Midnight in UTC, and the calls of that day.
  day timestamptz,
  day_count integer NOT NULL DEFAULT 0,
  total_count bigint NOT NULL DEFAULT 0,
  -- The aggregator's limit: no call before this instant. Answers 429 in a row, for the back-off.
  limited_until timestamptz,
  limited_in_row integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, link_id),
  FOREIGN KEY (account_id, link_id) REFERENCES aggregator_links ON DELETE CASCADE,
  CHECK ((holder IS NULL) = (held_until IS NULL))
) WITH (fillfactor = 70);

-- Calls of all accounts by endpoint. Not by account: these limits are the operator's.
CREATE TABLE endpoint_calls (
  endpoint text PRIMARY KEY,
  minute timestamptz NOT NULL,
  minute_count integer NOT NULL,
  limited_until timestamptz,
  limited_in_row integer NOT NULL DEFAULT 0
);

-- Webhooks that were handled, by SHA-256 of their signed token: a second delivery is refused. Rows
-- are deleted after an hour, when the token is too old anyway.
CREATE TABLE webhook_receipts (
  token_hash bytea PRIMARY KEY,
  received_at timestamptz NOT NULL
);
CREATE INDEX webhook_receipts_received ON webhook_receipts (received_at);

-- Institutions as the aggregator described them.
CREATE TABLE institutions (
  institution_id text PRIMARY KEY,
  answer jsonb NOT NULL,
  fetched_at timestamptz NOT NULL
);

-- Copy of identity's settings: a lapsed account is not synced.
CREATE TABLE account_settings (
  account_id text PRIMARY KEY,
  subscription_active_until timestamptz,
  version bigint NOT NULL
);
