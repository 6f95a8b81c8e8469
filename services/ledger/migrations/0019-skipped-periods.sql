-- Cause of journal rows that name a due date which was left out; they move no money. NOT VALID, as in
-- 0012: every value that the former list accepted is in this one.
ALTER DOMAIN journal_cause DROP CONSTRAINT journal_cause_check;
ALTER DOMAIN journal_cause ADD CONSTRAINT journal_cause_check CHECK (VALUE IN ('opening',
  'transaction', 'deletion', 'kept', 'transfer', 'funding', 'period-closed', 'envelope-closed',
  'sync', 'upload', 'undo', 'manual-edit', 'restated', 'refund', 'period-skipped')) NOT VALID;
