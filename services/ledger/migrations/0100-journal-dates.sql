-- The day of the transaction that moved a balance, for when the transaction itself is gone; null
-- for every other cause, and where an older version booked it.
ALTER TABLE journal ADD COLUMN date timestamptz;
