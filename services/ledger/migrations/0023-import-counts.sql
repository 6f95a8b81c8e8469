-- What became of the rows of a file; null before the end, and for files of releases up to 0.3.0. The
-- version before leaves them null.
ALTER TABLE uploads ADD COLUMN row_count bigint, ADD COLUMN known_count bigint,
  ADD COLUMN skipped jsonb;
