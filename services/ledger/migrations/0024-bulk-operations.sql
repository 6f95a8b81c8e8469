-- Changes of many transactions by one request, which a later request undoes as one. `changes` is a
-- BulkChange of the contract. ON DELETE CASCADE: the version before deletes bank accounts, and does
-- not know the table.
CREATE TABLE bulk_operations (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  operation_id text NOT NULL,
  changes bytea NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text,
  undone_at timestamptz,
  PRIMARY KEY (account_id, operation_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
CREATE INDEX bulk_operations_of_bank_account ON bulk_operations (account_id, bank_account_id);
CREATE INDEX bulk_operations_oldest ON bulk_operations (created_at);
