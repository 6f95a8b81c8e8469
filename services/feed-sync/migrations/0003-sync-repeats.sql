-- Activities of a sync may be repeated: these columns show what an earlier attempt did.
ALTER TABLE feed_links
  -- Whether the sync that runs was requested; otherwise it is scheduled.
  ADD COLUMN sync_is_manual boolean NOT NULL DEFAULT false;
ALTER TABLE feed_bank_accounts
  -- The sync that was counted last, by its sync_run_id.
  ADD COLUMN ended_run_id text;
