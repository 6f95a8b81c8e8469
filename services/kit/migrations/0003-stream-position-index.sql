-- no transaction
-- The audit of the stream looks up changes by their position.
CREATE INDEX CONCURRENTLY changes_by_stream_position ON changes (stream_position)
  WHERE stream_position IS NOT NULL;
