-- No index of the provider records begins with account_id and bank_account_id. Without statistics, as
-- right after the first import, the planner expects one record in a bank account. It would take any
-- such index for a search by both columns and an ID, and read all records of the bank account. The
-- table is small so far: no release has imported records.
ALTER TABLE provider_transactions
  DROP CONSTRAINT provider_transactions_pkey,
  ADD PRIMARY KEY (account_id, provider_transaction_id, bank_account_id);
DROP INDEX provider_transactions_of_transaction, provider_transactions_live,
  provider_transactions_of_pending, provider_transactions_alike;
CREATE INDEX provider_transactions_of_transaction
  ON provider_transactions (account_id, transaction_id, bank_account_id);
CREATE UNIQUE INDEX provider_transactions_live
  ON provider_transactions (account_id, transaction_id, bank_account_id)
  WHERE deleted_at IS NULL;
CREATE INDEX provider_transactions_of_pending
  ON provider_transactions (account_id, pending_provider_transaction_id, bank_account_id)
  WHERE pending_provider_transaction_id IS NOT NULL;
-- Finds matches by amount and date.
CREATE INDEX provider_transactions_alike
  ON provider_transactions (account_id, amount, bank_account_id, date);
DROP STATISTICS provider_transactions_keys;
