-- Messages up to which a durable consumer had acknowledged everything, every ten minutes. If NATS
-- loses the consumer or the end of its stream, the consumer begins again after the newest of them
-- that the stream still has.
CREATE TABLE consumer_positions (
  stream text NOT NULL,
  consumer text NOT NULL,
  -- When the stream was created, as NATS states it: another instant means another stream.
  stream_created_at text NOT NULL,
  -- Sequence number of the message in the stream, and its message ID.
  seq bigint NOT NULL,
  message_id text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, consumer, stream_created_at, seq)
);
