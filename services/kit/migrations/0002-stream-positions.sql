-- Position of a published change in the stream of NATS: `base` of its stream plus the sequence
-- number of its message. Null for those that the version before has published.
ALTER TABLE changes ADD COLUMN stream_position bigint;

CREATE TABLE stream_positions (
  stream text PRIMARY KEY,
  -- When the stream was created, as NATS states it: another instant means another stream.
  created_at text NOT NULL,
  -- Positions up to here belong to messages of a stream that was lost.
  base bigint NOT NULL,
  -- Every consumer has acknowledged the messages up to here.
  acknowledged bigint NOT NULL,
  -- The audit has found the messages between `base` and here in the stream.
  checked bigint NOT NULL
);
