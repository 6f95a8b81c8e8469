-- When the last tombstone of a bank account was taken back, because a restored ledger has it again.
-- Its runs that were booked earlier may have been deleted here with its link.
ALTER TABLE plan_books ADD COLUMN reopened_at timestamptz;
