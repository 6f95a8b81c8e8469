-- no transaction
-- Overviews of an account: the plans that are behind by due date, and the next firings.
CREATE INDEX CONCURRENTLY spending_behind ON spending (account_id, next_recurrence, spending_id)
  WHERE is_behind AND state = 'open' AND NOT is_paused;
CREATE INDEX CONCURRENTLY funding_schedules_next
  ON funding_schedules (account_id, next_recurrence, funding_schedule_id)
  WHERE last_recurrence IS DISTINCT FROM next_recurrence AND deleted_at IS NULL;
