-- What an uploaded file is to be read as.
ALTER TABLE uploads ADD COLUMN format text NOT NULL DEFAULT 'ofx'
  CHECK (format IN ('ofx', 'camt053', 'qif', 'csv'));
ALTER TABLE uploads ALTER COLUMN format DROP DEFAULT;

ALTER TABLE files DROP CONSTRAINT files_kind_check;
ALTER TABLE files ADD CONSTRAINT files_kind_check
  CHECK (kind IN ('transactions/uploads', 'transactions/imports'));

CREATE INDEX files_newest ON files (account_id, file_id DESC) WHERE deleted_at IS NULL;

-- How columns of CSV files become transactions; never changed, found again by signature.
CREATE TABLE transaction_import_mappings (
  account_id text NOT NULL,
  transaction_import_mapping_id text NOT NULL,
  signature text NOT NULL,
  mapping jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  created_by text NOT NULL,
  PRIMARY KEY (account_id, transaction_import_mapping_id)
);
CREATE INDEX transaction_import_mappings_of_signature
  ON transaction_import_mappings (account_id, signature, transaction_import_mapping_id DESC);

-- CSV files on their way to become an upload, which then is what processes them. From there on the
-- upload's status is the import's.
CREATE TABLE transaction_imports (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_import_id text NOT NULL,
  file_id text NOT NULL,
  transaction_import_mapping_id text,
  transaction_upload_id text,
  headers text[] NOT NULL,
  delimeter text NOT NULL CHECK (char_length(delimeter) = 1),
  status text NOT NULL CHECK (status IN
    ('mapping', 'pending-preview', 'preview', 'pending-processing', 'failed')),
  error text,
  -- A message ImportPreview.
  preview bytea,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  created_by text NOT NULL,
  completed_at timestamptz,
  PRIMARY KEY (account_id, bank_account_id, transaction_import_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE,
  FOREIGN KEY (account_id, file_id) REFERENCES files ON DELETE CASCADE,
  FOREIGN KEY (account_id, transaction_import_mapping_id) REFERENCES transaction_import_mappings,
  FOREIGN KEY (account_id, bank_account_id, transaction_upload_id) REFERENCES uploads
    ON DELETE CASCADE,
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK ((status = 'pending-processing') = (transaction_upload_id IS NOT NULL)),
  CHECK (status <> 'preview' OR preview IS NOT NULL)
);
CREATE INDEX transaction_imports_of_file ON transaction_imports (account_id, file_id);
CREATE INDEX transaction_imports_of_upload
  ON transaction_imports (account_id, bank_account_id, transaction_upload_id);
CREATE INDEX transaction_imports_of_mapping
  ON transaction_imports (account_id, transaction_import_mapping_id);
CREATE INDEX transaction_imports_to_preview ON transaction_imports (transaction_import_id)
  WHERE status = 'pending-preview';
