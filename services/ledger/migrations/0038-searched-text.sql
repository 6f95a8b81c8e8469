-- The texts of a transaction as search compares them (docs/transactions.md#search), where the process
-- has folded them: Postgres takes ten times as long for letters beyond ASCII. Null leaves the fold to
-- folded_transaction_text: in rows without such letters, and in those of a writer without this column.
ALTER TABLE transactions ADD COLUMN searched_text text;

CREATE FUNCTION forget_searched_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.searched_text := NULL;
  RETURN NEW;
END $$;

-- Every writer of texts, the version before included, leaves the column as it was.
CREATE TRIGGER transactions_texts_changed
  BEFORE UPDATE OF name, original_name, merchant_name, original_merchant_name, notes ON transactions
  FOR EACH ROW WHEN (OLD.searched_text IS NOT NULL
    AND (OLD.name, OLD.original_name, OLD.merchant_name, OLD.original_merchant_name, OLD.notes)
      IS DISTINCT FROM
      (NEW.name, NEW.original_name, NEW.merchant_name, NEW.original_merchant_name, NEW.notes))
  EXECUTE FUNCTION forget_searched_text();
