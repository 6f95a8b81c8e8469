-- How a client states that a file is to be read, and how it was read.
ALTER TABLE transaction_imports ADD COLUMN header_row integer, ADD COLUMN choices jsonb,
  ADD COLUMN reading jsonb;
ALTER TABLE uploads ADD COLUMN choices jsonb, ADD COLUMN asks text;
