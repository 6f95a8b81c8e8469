-- The hourly job pages through what is due in the order in which it fell due, so that a page costs
-- its own size however much is due.
CREATE INDEX funding_schedules_due_order
  ON funding_schedules (next_recurrence, account_id, bank_account_id)
  WHERE last_recurrence IS DISTINCT FROM next_recurrence AND deleted_at IS NULL;
DROP INDEX funding_schedules_due;
CREATE INDEX spending_due_order ON spending (next_recurrence, account_id, bank_account_id)
  WHERE state = 'open' AND NOT is_paused AND last_recurrence IS DISTINCT FROM next_recurrence;
DROP INDEX spending_due;
CREATE INDEX funding_runs_pending_order ON funding_runs (occurrence, account_id, bank_account_id)
  WHERE state = 'pending';
