-- When an import was undone, and the instant that the balances in its file hold for.
ALTER TABLE uploads ADD COLUMN undone_at timestamptz
  CHECK (undone_at IS NULL OR status = 'complete');
ALTER TABLE uploads ADD COLUMN balances_as_of timestamptz;

ALTER TABLE journal DROP CONSTRAINT journal_cause_check;
ALTER TABLE journal ADD CONSTRAINT journal_cause_check CHECK (cause IN ('opening', 'transaction',
  'deletion', 'kept', 'transfer', 'funding', 'period-closed', 'envelope-closed', 'sync', 'upload',
  'undo', 'manual-edit'));

CREATE INDEX transactions_of_upload
  ON transactions (account_id, bank_account_id, transaction_upload_id)
  WHERE transaction_upload_id IS NOT NULL;
-- What somebody stated a balance to be, and what was taken back of it.
CREATE INDEX journal_of_stated_balances ON journal (account_id, bank_account_id, entry_id)
  WHERE cause IN ('opening', 'manual-edit', 'upload', 'undo');
