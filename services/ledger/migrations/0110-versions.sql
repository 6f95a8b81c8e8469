-- The version of a bank account and of everything under it: every save raises it. It orders the
-- events of the bank account, and a save compares it with the version that it was decided on.
ALTER TABLE bank_accounts ADD COLUMN version bigint NOT NULL DEFAULT 1;
