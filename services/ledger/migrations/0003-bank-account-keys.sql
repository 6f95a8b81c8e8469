-- One row for each bank account that is never updated: foreign keys of rows that come in bulk refer
-- to it. Every save makes a new version of the row in bank_accounts. A transaction that inserts
-- 100,000 rows keeps the old versions from being pruned, and the check of each row would walk
-- through all of them.
CREATE TABLE bank_account_keys (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  PRIMARY KEY (account_id, bank_account_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
-- A trigger, because the version before creates bank accounts too.
CREATE FUNCTION insert_bank_account_key() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO bank_account_keys (account_id, bank_account_id)
  VALUES (NEW.account_id, NEW.bank_account_id);
  RETURN NULL;
END $$;
CREATE TRIGGER bank_account_key AFTER INSERT ON bank_accounts
  FOR EACH ROW EXECUTE FUNCTION insert_bank_account_key();
