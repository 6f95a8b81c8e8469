-- Counts of the rows of an uploaded file, and its skipped rows by reason. Null until the import
-- ends; the version before leaves them null.
ALTER TABLE uploads ADD COLUMN row_count bigint, ADD COLUMN known_count bigint,
  ADD COLUMN skipped jsonb;
