-- Names are unique by their folded form. Triggers and no unique index: rows of before may collide,
-- and keep their names. The version before writes under these triggers too. Every save holds the
-- row of plan_books, so two saves of a bank account never check at once. DETAIL is the existing
-- name. The look-up folds the names of one bank account, at most COFFER_ENVELOPES_MAX. A row takes
-- any spelling of its own name that no other row has. In insertions OLD is null.
CREATE FUNCTION refuse_taken_plan_name() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS $$
DECLARE
  wanted text := folded_text(NEW.name);
  own text := folded_text(OLD.name);
  taken text;
BEGIN
  SELECT name INTO taken FROM spending
  WHERE account_id = NEW.account_id AND bank_account_id = NEW.bank_account_id
    AND spending_type = NEW.spending_type
    AND spending_id <> NEW.spending_id AND folded_text(name) = wanted
    AND (wanted IS DISTINCT FROM own OR name = NEW.name)
  ORDER BY name <> NEW.name LIMIT 1;
  IF FOUND THEN
    RAISE unique_violation USING CONSTRAINT = 'spending_name', DETAIL = taken;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER spending_name_inserted BEFORE INSERT ON spending
  FOR EACH ROW EXECUTE FUNCTION refuse_taken_plan_name();
CREATE TRIGGER spending_name_changed BEFORE UPDATE OF name ON spending
  FOR EACH ROW WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION refuse_taken_plan_name();

CREATE FUNCTION refuse_taken_schedule_name() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS $$
DECLARE
  wanted text := folded_text(NEW.name);
  own text := folded_text(OLD.name);
  taken text;
BEGIN
  SELECT name INTO taken FROM funding_schedules
  WHERE account_id = NEW.account_id AND bank_account_id = NEW.bank_account_id
    AND funding_schedule_id <> NEW.funding_schedule_id AND deleted_at IS NULL
    AND folded_text(name) = wanted AND (wanted IS DISTINCT FROM own OR name = NEW.name)
  ORDER BY name <> NEW.name LIMIT 1;
  IF FOUND THEN
    RAISE unique_violation USING CONSTRAINT = 'funding_schedules_name', DETAIL = taken;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER funding_schedules_name_inserted BEFORE INSERT ON funding_schedules
  FOR EACH ROW EXECUTE FUNCTION refuse_taken_schedule_name();
CREATE TRIGGER funding_schedules_name_changed BEFORE UPDATE OF name ON funding_schedules
  FOR EACH ROW WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION refuse_taken_schedule_name();
