-- Tags of a transaction, at most 20, in the order of their user; null without any. The version
-- before leaves them as they are.
ALTER TABLE transactions ADD COLUMN tags text[];
