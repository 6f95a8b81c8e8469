-- State of the syncs of a connection. A sync is due at next_sync_at; requested_at is a manual request
-- that no sync has begun since; sync_run_id is the sync that runs.
ALTER TABLE feed_links
  ADD COLUMN requested_at timestamptz,
  ADD COLUMN next_sync_at timestamptz,
  ADD COLUMN sync_run_id text,
  ADD COLUMN sync_started_at timestamptz,
  ADD COLUMN failures_in_row integer NOT NULL DEFAULT 0,
  ADD COLUMN fault_code text,
  -- The provider's words, without the API key.
  ADD COLUMN fault_detail text,
  ADD COLUMN fault_at timestamptz,
  ADD COLUMN added_count integer NOT NULL DEFAULT 0,
  ADD COLUMN changed_count integer NOT NULL DEFAULT 0,
  ADD COLUMN matched_count integer NOT NULL DEFAULT 0,
  ADD COLUMN removed_count integer NOT NULL DEFAULT 0,
  ADD COLUMN skipped_count integer NOT NULL DEFAULT 0;

-- The schedule's pages of due connections, of all accounts.
CREATE INDEX feed_links_due ON feed_links (next_sync_at, account_id, feed_link_id)
  WHERE status = 'active' AND next_sync_at IS NOT NULL;
-- Requests and syncs that were lost, and abandoned connections.
CREATE INDEX feed_links_unfinished ON feed_links (account_id, feed_link_id)
  WHERE requested_at IS NOT NULL OR sync_run_id IS NOT NULL;
CREATE INDEX feed_links_pending ON feed_links (created_at) WHERE status = 'pending';

ALTER TABLE feed_bank_accounts
  ADD COLUMN sync_count bigint NOT NULL DEFAULT 0,
  ADD COLUMN last_synced_at timestamptz,
  -- When the whole list of transactions was last requested.
  ADD COLUMN last_whole_at timestamptz,
  ADD COLUMN failures_in_row integer NOT NULL DEFAULT 0,
  ADD COLUMN fault_code text,
  ADD COLUMN fault_detail text,
  ADD COLUMN fault_at timestamptz;

-- Copy of identity's settings: a lapsed account is not synced.
CREATE TABLE account_settings (
  account_id text PRIMARY KEY,
  subscription_active_until timestamptz,
  version bigint NOT NULL
);

-- Connections made by the version before begin to sync.
UPDATE feed_links SET next_sync_at = now() WHERE status = 'active';
