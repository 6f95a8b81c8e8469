-- Bills paid late. Null in carry_over: the setting of the server decides. The grace is a copy of the
-- ledger's, as of amounts_version.
ALTER TABLE spending
  ADD COLUMN grace_days smallint NOT NULL DEFAULT 0,
  ADD COLUMN carry_over boolean,
  ADD COLUMN grace_until timestamptz,
  ADD COLUMN grace_amount bigint NOT NULL DEFAULT 0;
