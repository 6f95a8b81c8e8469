-- Search folds as unique names do, by the function of @coffer/kit. Its results are those of before,
-- so the index stays valid.
CREATE OR REPLACE FUNCTION folded(sent text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN folded_text(sent);
