-- Names of keys are unique by their folded form. A trigger and no unique index: rows of before may
-- collide. The advisory lock is that of the bound on keys: two insertions do not check at once. DETAIL
-- is the existing name. A key keeps its name, so updates need no check.
CREATE FUNCTION refuse_taken_key_name() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS $$
DECLARE
  wanted text := folded_text(NEW.name);
  taken text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('api_keys ' || NEW.account_id, 0));
  SELECT name INTO taken FROM api_keys
  WHERE account_id = NEW.account_id
    AND api_key_id <> NEW.api_key_id AND folded_text(name) = wanted AND deleted_at IS NULL
  ORDER BY name <> NEW.name LIMIT 1;
  IF FOUND THEN
    RAISE unique_violation USING CONSTRAINT = 'api_keys_live_name', DETAIL = taken;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER api_key_name_inserted BEFORE INSERT ON api_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_taken_key_name();
