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

-- How many requests have taken up a plan under creation, all that the revision of a plan told beside
-- the version above. The revision stays for processes of the version before.
ALTER TABLE spending
  ADD COLUMN opening_attempts bigint NOT NULL DEFAULT 1,
  ALTER COLUMN revision SET DEFAULT 1;
UPDATE spending SET opening_attempts = revision WHERE state = 'opening';
