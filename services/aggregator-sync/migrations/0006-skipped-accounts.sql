-- The aggregator's IDs of unknown accounts whose transactions pages of changes had, and skipped.
ALTER TABLE aggregator_links ADD COLUMN skipped_accounts text[] NOT NULL DEFAULT '{}';
