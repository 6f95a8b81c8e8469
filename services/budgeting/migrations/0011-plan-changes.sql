-- A deleted schedule stays, unseen, until the ledger has forgotten it.
ALTER TABLE funding_schedules ADD COLUMN deleted_at timestamptz,
  DROP CONSTRAINT funding_schedules_name;
CREATE UNIQUE INDEX funding_schedules_name
  ON funding_schedules (account_id, bank_account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX funding_schedules_deleted ON funding_schedules (deleted_at)
  WHERE deleted_at IS NOT NULL;

-- A key opens one spending object; the hash tells another body under it. After a day it is forgotten,
-- so that the index holds no more than a day's keys.
ALTER TABLE spending ADD COLUMN opening_body bytea;
CREATE UNIQUE INDEX spending_opening_key ON spending (account_id, opening_key)
  WHERE opening_key IS NOT NULL;
