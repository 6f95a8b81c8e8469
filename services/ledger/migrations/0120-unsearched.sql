-- The version of the first change of transactions that no search for similar ones has seen. A save
-- sets it, the sweep clears it.
ALTER TABLE bank_accounts ADD COLUMN unsearched_from bigint;
CREATE INDEX bank_accounts_unsearched ON bank_accounts (account_id, bank_account_id)
  WHERE unsearched_from IS NOT NULL AND deleted_at IS NULL AND removed_at IS NULL;
UPDATE bank_accounts SET unsearched_from = version WHERE EXISTS (
  SELECT FROM changes LEFT JOIN similar_searches AS searched
    ON searched.account_id = changes.account_id AND searched.bank_account_id = changes.entity_id
  WHERE changes.account_id = bank_accounts.account_id AND entity_id = bank_accounts.bank_account_id
    AND type = 'coffer.ledger.v1.TransactionsChanged'
    AND (changes.sequence IS NULL OR searched.sequence IS NULL
      OR changes.sequence > searched.sequence)
);
DROP TABLE waiting_searches, similar_searches;
