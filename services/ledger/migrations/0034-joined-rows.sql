-- Rows of files that a user joined to stored transactions, so that they are not stored twice; their
-- texts as the bank wrote them. ON DELETE CASCADE: the version before deletes bank accounts, and does
-- not know the table.
CREATE TABLE joined_rows (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  upload_identifier text NOT NULL,
  transaction_upload_id text NOT NULL,
  transaction_id text NOT NULL,
  amount bigint NOT NULL,
  date timestamptz NOT NULL,
  original_name text NOT NULL,
  original_merchant_name text NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, upload_identifier),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
CREATE INDEX joined_rows_of_upload
  ON joined_rows (account_id, bank_account_id, transaction_upload_id);
CREATE INDEX joined_rows_of_transaction
  ON joined_rows (account_id, bank_account_id, transaction_id);
-- The joins that the user named; null without any.
ALTER TABLE uploads ADD COLUMN joins jsonb, ADD COLUMN joined_count bigint;
