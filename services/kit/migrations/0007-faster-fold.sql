-- The results are those of before, so indexes on them stay valid. Most texts beyond ASCII have one of
-- five accents alone: without these they are ASCII, and need neither the regular expression nor the
-- letters that Unicode does not decompose, which took half of the time of an insert's index entry.
CREATE OR REPLACE FUNCTION folded_text(sent text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  plain text;
BEGIN
  IF octet_length(sent) = length(sent) THEN
    RETURN lower(sent);
  END IF;
  -- Acute, grave, circumflex, diaeresis, cedilla.
  plain := replace(replace(replace(replace(replace(normalize(sent, NFKD),
    U&'\0301', ''), U&'\0300', ''), U&'\0302', ''), U&'\0308', ''), U&'\0327', '');
  IF octet_length(plain) = length(plain) THEN
    RETURN lower(plain);
  END IF;
  plain := lower(regexp_replace(plain, '[\u0300-\u036F\u0483-\u0487\u0591-\u05BD'
    '\u064B-\u065F\u0670\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+', '', 'g'));
  plain := replace(replace(replace(plain, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
  RETURN translate(plain, 'ςøłđħı', 'σoldhi');
END $$;
