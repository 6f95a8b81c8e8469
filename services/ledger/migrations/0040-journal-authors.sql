-- Who had an amount changed: a user, or user_system; null where nobody noted it.
ALTER TABLE journal ADD COLUMN created_by text;
