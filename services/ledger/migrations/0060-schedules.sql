-- Finds what a deleted funding schedule has made.
CREATE INDEX transactions_by_schedule
  ON transactions (account_id, bank_account_id, created_by_funding_schedule_id)
  WHERE created_by_funding_schedule_id IS NOT NULL;
