-- no transaction
-- The list of all bank accounts, in its order: the indexes by bank account cannot give it without
-- reading from each of them. Live and deleted ones apart, as the lists show one or the other.
CREATE INDEX CONCURRENTLY transactions_of_account
  ON transactions (account_id, date DESC, transaction_id DESC) WHERE deleted_at IS NULL;
CREATE INDEX CONCURRENTLY transactions_of_account_deleted
  ON transactions (account_id, date DESC, transaction_id DESC) WHERE deleted_at IS NOT NULL;
