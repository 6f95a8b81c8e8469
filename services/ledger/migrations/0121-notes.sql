-- What its user writes beside a transaction; null is none.
ALTER TABLE transactions ADD COLUMN notes text;

-- A search finds notes as well. The function without them stays for processes of the version before.
CREATE FUNCTION transaction_text(name text, original_name text, merchant_name text,
  original_merchant_name text, notes text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(name, '') || E'\n' || original_name || E'\n' || coalesce(merchant_name, '')
    || E'\n' || original_merchant_name || E'\n' || coalesce(notes, '');

DROP INDEX transactions_text;
DO $$
BEGIN
  EXECUTE format(
    'CREATE INDEX transactions_text ON transactions USING gin (
      (ARRAY[account_id || ''/'' || bank_account_id]),
      transaction_text(name, original_name, merchant_name, original_merchant_name, notes)
        %I.gin_trgm_ops
    ) WITH (fastupdate = on, gin_pending_list_limit = 64) WHERE deleted_at IS NULL',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
      WHERE extname = 'pg_trgm'));
END $$;
