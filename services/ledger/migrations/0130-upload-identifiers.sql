-- Most transactions have no identifier: they need no place in its index. An index of all of them
-- begins like the others do, so the planner takes it for theirs while it knows nothing of the table.
ALTER TABLE transactions DROP CONSTRAINT transactions_upload;
CREATE UNIQUE INDEX transactions_upload
  ON transactions (account_id, bank_account_id, upload_identifier)
  WHERE upload_identifier IS NOT NULL;
