-- no transaction
-- The list of deleted transactions, in its order.
CREATE INDEX CONCURRENTLY transactions_deleted
  ON transactions (account_id, bank_account_id, date DESC, transaction_id DESC)
  WHERE deleted_at IS NOT NULL;
