-- Last name of a closed envelope, for the history: its plan is deleted. Null while it is open, and
-- of those that a former version closed.
ALTER TABLE envelopes ADD COLUMN closed_name text;
