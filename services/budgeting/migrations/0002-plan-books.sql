-- The version of the plans and schedules of a bank account: every save raises it, and a save
-- compares it with the version that it was decided on. The ID tells the last save from others, should
-- the answer to it be lost. The row stays with the tombstone of a bank account that is removed.
CREATE TABLE plan_books (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  version bigint NOT NULL,
  save_id text,
  PRIMARY KEY (account_id, bank_account_id)
) WITH (fillfactor = 70);
INSERT INTO plan_books (account_id, bank_account_id, version)
SELECT account_id, bank_account_id, 1 FROM funding_schedules
UNION
SELECT account_id, bank_account_id, 1 FROM ended_bank_accounts;

-- Of the revisions of plans only those of plans under creation are of use: the number of requests
-- that have taken one up.
ALTER TABLE spending RENAME COLUMN revision TO opening_attempts;
