-- no transaction
-- The imports of former versions whose bank accounts have not been looked at; soon empty.
CREATE INDEX CONCURRENTLY uploads_of_former_sign ON uploads (account_id, bank_account_id)
  WHERE owed_is_negative IS NULL AND format = 'ofx' AND status = 'complete';
CREATE INDEX CONCURRENTLY journal_of_restated_balances
  ON journal (account_id, bank_account_id, entry_id) WHERE cause = 'restated';
