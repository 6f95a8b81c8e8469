-- The largest version of the events that said whether a bank account uses the candidate; 0 before
-- the first event that has one.
ALTER TABLE feed_bank_accounts ADD COLUMN use_version bigint NOT NULL DEFAULT 0;
