-- A hint for the user about what an import leaves open in its file; null without one.
ALTER TABLE uploads ADD COLUMN note text;
