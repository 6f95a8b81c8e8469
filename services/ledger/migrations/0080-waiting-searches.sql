-- Bank accounts whose automatic transactions have not been compared with the others yet.
CREATE TABLE waiting_searches (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  asked_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
