-- The part of the refunds of a period that gave back what an earlier period had spent. The version
-- before leaves it as it is.
ALTER TABLE envelopes ADD COLUMN period_refunded bigint NOT NULL DEFAULT 0;
