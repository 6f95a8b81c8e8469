-- The due date that the running period of an envelope began on: payments of an earlier day do not
-- count in it. Null until the next due date; the version before leaves it as it is.
ALTER TABLE envelopes ADD COLUMN period_from timestamptz;
