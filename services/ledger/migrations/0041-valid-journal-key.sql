ALTER TABLE journal VALIDATE CONSTRAINT journal_bank_account_key;
