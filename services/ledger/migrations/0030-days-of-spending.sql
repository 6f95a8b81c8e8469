-- The day of the newest transaction that an envelope paid in its period. The version before leaves
-- it as it is, also when a period ends: a day is shown only beside spending of the period.
ALTER TABLE envelopes ADD COLUMN period_spent_on timestamptz;
