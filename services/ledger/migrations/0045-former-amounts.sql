-- Amount and day of a pending transaction before a row with its identifier posted it, so that the
-- undo restores them; null for other joins, and for those of the version before.
ALTER TABLE joined_rows ADD COLUMN former_amount bigint, ADD COLUMN former_date timestamptz;
