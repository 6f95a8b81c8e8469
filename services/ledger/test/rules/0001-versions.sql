-- Whoever changes an envelope or a transaction writes the row of their bank account too: its
-- version is theirs (bank-account-version.sql.ts). Too dear to be asked of every write in
-- production; here a transaction that forgets it fails when it commits.
CREATE FUNCTION require_new_version() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  changed record := coalesce(NEW, OLD);
BEGIN
  IF EXISTS (
    SELECT FROM bank_accounts WHERE account_id = changed.account_id
      AND bank_account_id = changed.bank_account_id AND removed_at IS NULL
      AND xmin <> pg_current_xact_id()::xid
  ) THEN
    RAISE EXCEPTION '% of % changed without a new version of it', TG_TABLE_NAME,
      changed.bank_account_id;
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER envelopes_versioned AFTER INSERT OR UPDATE OR DELETE ON envelopes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_new_version();
CREATE CONSTRAINT TRIGGER transactions_versioned AFTER INSERT OR UPDATE OR DELETE ON transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_new_version();
