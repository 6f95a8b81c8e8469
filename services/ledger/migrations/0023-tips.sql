-- How a posted record joined the transaction of a pending one of another amount, and which pending
-- transactions are not this one, as the user said. The version before leaves both as they are.
ALTER TABLE provider_transactions ADD COLUMN joined jsonb, ADD COLUMN rejected_ids text[];
