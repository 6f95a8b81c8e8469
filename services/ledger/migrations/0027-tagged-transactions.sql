-- no transaction
-- The transactions with tags, for the list of tags and for their renaming. It has no entries of
-- transactions without tags, which most are.
CREATE INDEX CONCURRENTLY transactions_tagged
  ON transactions (account_id, bank_account_id, transaction_id) WHERE tags IS NOT NULL;
