-- A bank account belongs to one account. Without these statistics the planner multiplies the
-- selectivities of the two columns, expects one row of a bank account with many, and searches all
-- of its provider records by any index that begins with both columns.
CREATE STATISTICS provider_transactions_keys (dependencies)
  ON account_id, bank_account_id FROM provider_transactions;
