-- The timezone of the dates of a bank account; null before the first change of its account's
-- timezone, and empty while the dates are being moved. It is not called timezone: the version before
-- joins the table with account_settings, and reads the timezone of that without naming the table.
ALTER TABLE bank_accounts
  ADD COLUMN dates_timezone text,
  -- While the dates are being moved: their former timezone, and the last transaction moved.
  ADD COLUMN moved_from text,
  ADD COLUMN moved_after text;
-- The timezone at registration, after a change of it: identifiers of rows of files contain instants.
ALTER TABLE account_settings ADD COLUMN identifier_timezone text;
