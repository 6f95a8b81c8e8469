INSERT INTO bank_account_keys (account_id, bank_account_id)
SELECT account_id, bank_account_id FROM bank_accounts
ON CONFLICT DO NOTHING;
-- Not valid for old rows at first: to check them takes longer than the lock may be held.
ALTER TABLE transactions
  DROP CONSTRAINT transactions_account_id_bank_account_id_fkey,
  ADD CONSTRAINT transactions_bank_account_key
    FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_account_keys NOT VALID;
