-- no transaction
-- The uploads of a group.
CREATE INDEX CONCURRENTLY uploads_of_group ON uploads (account_id, upload_group_id)
  WHERE upload_group_id IS NOT NULL;
