-- Bills paid early. The amount is a copy of the ledger's, as of amounts_version, like its neighbours.
-- A bill is settled while settled_for equals next_recurrence: by a request, or since its target is
-- spent. The version before leaves all of them as they are.
ALTER TABLE spending
  ADD COLUMN period_spent_amount bigint NOT NULL DEFAULT 0,
  ADD COLUMN settles_when_spent boolean NOT NULL DEFAULT false,
  ADD COLUMN settled_for timestamptz,
  ADD COLUMN settled_at timestamptz,
  ADD COLUMN settled_by_request boolean NOT NULL DEFAULT false;
