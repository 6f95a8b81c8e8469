-- Rows of the aggregator's answers that could not be read. A loop over the pages of changes with one
-- is incomplete: it removes nothing that it lacks, and is read again.
ALTER TABLE aggregator_links
  -- Whether the loop that runs has met such a row.
  ADD COLUMN loop_is_incomplete boolean NOT NULL DEFAULT false,
  -- The aggregator's IDs of pending transactions that such rows of the loop replace; an empty one
  -- stands for any.
  ADD COLUMN awaited_pending text[] NOT NULL DEFAULT '{}',
  -- Since when the loop is read again from the same cursor; null if its last end was complete.
  ADD COLUMN incomplete_since timestamptz,
  -- When a whole loop looks for such rows of an earlier loop again; null if there are none.
  ADD COLUMN reread_at timestamptz;
