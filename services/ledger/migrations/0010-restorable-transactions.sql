-- How a soft-deleted transaction was deleted, so that restoring it reverses exactly that. Both are
-- null while it is live, and if a version before this file deleted it.
ALTER TABLE transactions
  ADD COLUMN adjusted_by_deletion boolean,
  ADD COLUMN unassigned_by_deletion text;
