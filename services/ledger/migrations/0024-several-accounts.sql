-- The accounts of a file that holds several, which the client chooses from. The version before leaves
-- them null.
ALTER TABLE uploads ADD COLUMN statements jsonb;
