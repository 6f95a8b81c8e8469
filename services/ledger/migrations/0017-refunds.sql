-- The amount that a deposit gave back to the envelope `spending_id`; null if it is no refund. Its
-- `spending_amount` is 0. A domain would rewrite the table, so the bounds are a constraint.
ALTER TABLE transactions
  ADD COLUMN refund_amount bigint,
  ADD CONSTRAINT transactions_refund_amount
    CHECK (refund_amount BETWEEN 0 AND 9007199254740991) NOT VALID;
-- Cause of journal rows that give money back to an envelope. NOT VALID as in the file before that
-- adds a cause.
ALTER DOMAIN journal_cause DROP CONSTRAINT journal_cause_check;
ALTER DOMAIN journal_cause ADD CONSTRAINT journal_cause_check CHECK (VALUE IN ('opening',
  'transaction', 'deletion', 'kept', 'transfer', 'funding', 'period-closed', 'envelope-closed',
  'sync', 'upload', 'undo', 'manual-edit', 'restated', 'refund')) NOT VALID;
