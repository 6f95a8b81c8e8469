-- Since when a user or an operator waits for a sync that also reads the transactions of the last 14
-- days; null if none does. Syncs that the service requests leave them out.
ALTER TABLE aggregator_links ADD COLUMN window_requested_at timestamptz;
