-- Kinds of files that this version reads. NOT VALID: every value that the former list accepted is
-- in this one. New rows are checked.
ALTER TABLE uploads
  DROP CONSTRAINT uploads_format_check,
  ADD CONSTRAINT uploads_format_check
    CHECK (format IN ('ofx', 'camt053', 'qif', 'csv', 'mt940', 'json', 'zip')) NOT VALID;
