-- The version of the bank account after the page of a run that has made a change: one page has one
-- version, and of two runs that changed a transaction the later one has the larger.
ALTER TABLE rule_run_changes ADD COLUMN version bigint NOT NULL DEFAULT 0;
