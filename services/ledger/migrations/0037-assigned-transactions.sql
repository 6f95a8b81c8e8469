-- no transaction
-- Replaces transactions_of_envelope. An envelope is of one bank account, and few of its rows have the
-- same day, so the entries need neither the bank account nor the ID of the row: they take half the
-- space, and a row that a rule assigns costs less.
CREATE INDEX CONCURRENTLY transactions_assigned
  ON transactions (account_id, spending_id, date DESC) WHERE spending_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS transactions_of_envelope;
