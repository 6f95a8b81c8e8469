-- The search text without notes, which the version before the last one used. Tables that began with
-- the first file never had it.
DROP FUNCTION IF EXISTS transaction_text(text, text, text, text);
