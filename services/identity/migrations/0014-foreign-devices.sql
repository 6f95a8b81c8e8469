-- Whether the device of the sign-in is not the person's own, for the session that follows a pending
-- one. Null for sessions of former releases.
ALTER TABLE sessions ADD COLUMN is_foreign boolean;
