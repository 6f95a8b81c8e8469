-- A text as search and unique names compare it (docs/transactions.md#search): in lower case, without
-- accents, in compatibility forms (Unicode NFKD). Letters that Unicode does not decompose have their
-- plain one. Texts of ASCII, which most are, need the lower case alone.
CREATE FUNCTION folded_text(sent text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
  plain text;
BEGIN
  IF octet_length(sent) = length(sent) THEN
    RETURN lower(sent);
  END IF;
  plain := lower(regexp_replace(normalize(sent, NFKD), '[\u0300-\u036F\u0483-\u0487\u0591-\u05BD'
    '\u064B-\u065F\u0670\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+', '', 'g'));
  plain := replace(replace(replace(plain, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
  RETURN translate(plain, 'ςøłđħı', 'σoldhi');
END $$;
