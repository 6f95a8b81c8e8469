-- Files have one text in several columns. Search looks for a part of a line, so each text is needed
-- once, and the trigrams of the index, which are distinct, are those of before: it stays valid.
CREATE OR REPLACE FUNCTION folded_transaction_text(name text, original_name text,
  merchant_name text, original_merchant_name text, notes text)
  RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN folded(coalesce(name, '')
    || E'\n' || CASE WHEN original_name = name THEN '' ELSE original_name END
    || E'\n' || coalesce(nullif(merchant_name, name), '')
    || E'\n' || CASE WHEN original_merchant_name IN (name, original_name) THEN ''
      ELSE original_merchant_name END
    || E'\n' || coalesce(notes, ''));
