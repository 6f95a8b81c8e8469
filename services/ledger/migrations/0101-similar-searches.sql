-- Up to which change of its account a bank account was last searched for similar transactions.
CREATE TABLE similar_searches (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
