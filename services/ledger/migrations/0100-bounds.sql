-- What an account has of a kind is counted before it gets another one.
CREATE INDEX links_live ON links (account_id) WHERE deleted_at IS NULL;
CREATE INDEX bank_accounts_kept ON bank_accounts (account_id) WHERE removed_at IS NULL;
CREATE INDEX envelopes_open ON envelopes (account_id, bank_account_id) WHERE closed_at IS NULL;
ALTER TABLE transaction_import_mappings ADD COLUMN deleted_at timestamptz;
CREATE INDEX transaction_import_mappings_live ON transaction_import_mappings (account_id)
  WHERE deleted_at IS NULL;
-- Not in the words of uploads_unfinished, which would be read as a whole instead.
CREATE INDEX uploads_under_way ON uploads (account_id) WHERE status NOT IN ('complete', 'failed');
