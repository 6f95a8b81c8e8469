-- The grace after a period of an expense: until when it runs, how much of the period's target is
-- unspent, and the part of that which the envelope did not hold when the period was closed. The
-- version before leaves them as they are.
ALTER TABLE envelopes
  ADD COLUMN grace_until timestamptz,
  ADD COLUMN grace_unspent bigint NOT NULL DEFAULT 0,
  ADD COLUMN grace_missing bigint NOT NULL DEFAULT 0;
