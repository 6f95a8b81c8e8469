-- Files that users upload. The bytes are in storage until deleted_at; the row stays as a record.
CREATE TABLE files (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  file_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('transactions/uploads')),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  content_type text NOT NULL,
  size bigint NOT NULL CHECK (size >= 0),
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  expires_at timestamptz,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, file_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts
);
CREATE INDEX files_of_bank_account ON files (account_id, bank_account_id);
CREATE INDEX files_to_expire ON files (expires_at) WHERE deleted_at IS NULL;

CREATE TABLE uploads (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_upload_id text NOT NULL,
  file_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'failed', 'complete')),
  error text,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  processed_at timestamptz,
  completed_at timestamptz,
  imported_count bigint NOT NULL,
  skipped_count bigint NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, transaction_upload_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts,
  FOREIGN KEY (account_id, file_id) REFERENCES files,
  CHECK ((status = 'failed') = (error IS NOT NULL))
);
CREATE INDEX uploads_of_file ON uploads (account_id, file_id);
CREATE INDEX uploads_unfinished ON uploads (transaction_upload_id)
  WHERE status IN ('pending', 'processing');

-- Which upload brought a transaction in.
ALTER TABLE transactions ADD COLUMN transaction_upload_id text;
