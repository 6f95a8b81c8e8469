-- no transaction
-- As spending_due_order: the hourly job pages through the graces that have ended.
CREATE INDEX CONCURRENTLY spending_grace_order
  ON spending (grace_until, account_id, bank_account_id)
  WHERE state = 'open' AND NOT is_paused AND grace_until IS NOT NULL;
