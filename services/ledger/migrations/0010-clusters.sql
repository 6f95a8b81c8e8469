-- Transactions whose texts are alike, found anew after every change of them: they go with their
-- bank account. members has no foreign key; a deleted transaction stays until the next search.
CREATE TABLE transaction_clusters (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_cluster_id text NOT NULL,
  signature text NOT NULL,
  centroid text NOT NULL,
  name text NOT NULL,
  original_name text NOT NULL,
  members text[] NOT NULL,
  debug jsonb NOT NULL,
  merchant jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, transaction_cluster_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE,
  CONSTRAINT transaction_clusters_once
    UNIQUE (account_id, bank_account_id, signature, centroid)
);
-- IDs of transactions are unique among all accounts. Without a pending list a look-up costs the
-- same right after a search as later; the search can wait.
CREATE INDEX transaction_clusters_of_member ON transaction_clusters USING gin (members)
  WITH (fastupdate = off);
