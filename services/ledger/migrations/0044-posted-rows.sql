-- The upload whose import posted the pending transaction of a joined row, so that its undo makes it
-- pending again; null where nothing was posted, and for joins of the version before.
ALTER TABLE joined_rows ADD COLUMN posted_by text;
