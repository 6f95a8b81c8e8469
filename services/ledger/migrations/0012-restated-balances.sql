-- Cause of journal rows that correct the sign of a debt which a former version stored as positive.
-- NOT VALID: a domain's constraint is validated under a lock that stops writes of the journal, and
-- every value that the former list accepted is in this one. New rows are checked.
ALTER DOMAIN journal_cause DROP CONSTRAINT journal_cause_check;
ALTER DOMAIN journal_cause ADD CONSTRAINT journal_cause_check CHECK (VALUE IN ('opening',
  'transaction', 'deletion', 'kept', 'transfer', 'funding', 'period-closed', 'envelope-closed',
  'sync', 'upload', 'undo', 'manual-edit', 'restated')) NOT VALID;
-- True if the version that imported the file stores what is owed as negative; false if a former
-- version imported it, and its bank account has been looked at; null before that.
ALTER TABLE uploads ADD COLUMN owed_is_negative boolean;
