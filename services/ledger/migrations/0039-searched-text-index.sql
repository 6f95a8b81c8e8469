-- no transaction
-- As transactions_folded_text, which it replaces.
CREATE INDEX CONCURRENTLY transactions_searched_text ON transactions USING gin (
  (ARRAY[account_id || '/' || bank_account_id]),
  coalesce(searched_text,
    folded_transaction_text(name, original_name, merchant_name, original_merchant_name, notes))
    gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 64) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS transactions_folded_text;
