-- The latest bank account that was made from a candidate, archived or not.

ALTER TABLE feed_bank_accounts ADD COLUMN bank_account_id text;
