-- no transaction
-- How a transaction moved the balances, for its deletion and correction.
CREATE INDEX CONCURRENTLY journal_of_bookings ON journal (account_id, bank_account_id, cause_id)
  WHERE spending_id IS NULL AND cause IN ('transaction', 'deletion');
