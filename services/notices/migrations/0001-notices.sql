-- The end of the feed of each account. Its row lock serializes the writers of an account, so that
-- positions become visible in their order: a reader never passes an entry that commits later.
CREATE TABLE feeds (
  account_id text PRIMARY KEY,
  -- Position of the latest entry: a hybrid logical clock in µs, which no restore takes back.
  last_position bigint NOT NULL,
  -- Entries up to this position have been removed for their age.
  removed_position bigint NOT NULL DEFAULT 0,
  CHECK (last_position >= removed_position)
);

-- Events of changed objects, in the order in which they are told. One row for the objects of an
-- event: a save changes about three, and a row for each costs three index entries.
CREATE TABLE feed_events (
  account_id text NOT NULL,
  -- Position of the last object; those of the others are the numbers before it.
  position bigint NOT NULL,
  -- ID of the event: the same however often it is delivered.
  event_id text NOT NULL,
  -- Number in the event of the first object.
  first_index integer NOT NULL,
  -- Instant of the change.
  at timestamptz NOT NULL,
  actor text NOT NULL,
  -- ID of the request, sync, upload, run or operation that made the change.
  cause_id text,
  -- Type, ID, bank account and version of each object, as its owner counts.
  objects jsonb NOT NULL,
  PRIMARY KEY (account_id, position)
);
