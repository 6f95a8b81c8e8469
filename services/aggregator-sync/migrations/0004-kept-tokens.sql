-- The version before deletes the rows of a deleted account without a call to the aggregator. The
-- token of a link that is not released is kept: without it the item could not be removed, and the
-- aggregator would bill it without end. The deletion fails, and is repeated by this version.
CREATE FUNCTION keep_token() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM aggregator_links
      WHERE account_id = OLD.account_id AND link_id = OLD.link_id AND released_at IS NULL) THEN
    RAISE EXCEPTION 'the item of the link % is not removed at the aggregator', OLD.link_id;
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER aggregator_token_kept BEFORE DELETE ON aggregator_tokens
  FOR EACH ROW EXECUTE FUNCTION keep_token();
