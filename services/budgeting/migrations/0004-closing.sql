-- Until when changes of a plan are refused, because a request closes its envelope in the ledger. The
-- deletion was decided on the plan as stored here.
ALTER TABLE spending ADD COLUMN closing_until timestamptz;
