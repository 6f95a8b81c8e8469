-- Needs the contrib module pg_trgm, which owners of a database may install themselves.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- What a transaction is found by. No text that is looked for spans two of its lines.
CREATE FUNCTION transaction_text(name text, original_name text, merchant_name text,
  original_merchant_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(name, '') || E'\n' || original_name || E'\n' || coalesce(merchant_name, '')
    || E'\n' || original_merchant_name;

-- The account stands in the key, so that a search reads what is the account's alone. Without a
-- pending list a search costs the same right after an import as later. The extension may have been
-- installed in another schema than this one.
DO $$
BEGIN
  EXECUTE format(
    'CREATE INDEX transactions_text ON transactions USING gin (
      (ARRAY[account_id || ''/'' || bank_account_id]),
      transaction_text(name, original_name, merchant_name, original_merchant_name) %I.gin_trgm_ops
    ) WITH (fastupdate = off) WHERE deleted_at IS NULL',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
      WHERE extname = 'pg_trgm'));
END $$;

CREATE INDEX transactions_pending
  ON transactions (account_id, bank_account_id, date DESC, transaction_id DESC)
  WHERE is_pending AND deleted_at IS NULL;
