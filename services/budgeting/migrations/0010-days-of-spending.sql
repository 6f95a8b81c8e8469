-- A copy of the ledger's day of the newest payment in the period, as of amounts_version.
ALTER TABLE spending ADD COLUMN period_spent_on timestamptz;
