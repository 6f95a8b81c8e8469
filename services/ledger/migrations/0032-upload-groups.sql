-- Files of several bank accounts, each uploaded once for all of them. Their uploads have the ID of
-- the group, and files of their own. The version before leaves the ID null.
CREATE TABLE upload_groups (
  account_id text NOT NULL,
  upload_group_id text NOT NULL,
  file_id text NOT NULL,
  format text NOT NULL,
  -- The accounts of the file (ListedStatement), as JSON.
  statements jsonb NOT NULL,
  choices jsonb,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  PRIMARY KEY (account_id, upload_group_id),
  FOREIGN KEY (account_id, file_id) REFERENCES files
);
ALTER TABLE uploads ADD COLUMN upload_group_id text;
-- The file of a group belongs to no bank account. The version before reads such rows by ID only.
ALTER TABLE files ALTER COLUMN bank_account_id DROP NOT NULL;
