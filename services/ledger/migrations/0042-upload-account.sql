-- Last four characters of the account number that the file of an import states; null without one.
ALTER TABLE uploads ADD COLUMN account_digits text;
