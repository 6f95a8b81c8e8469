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

-- Changes of objects, in the order in which they are told.
CREATE TABLE feed_entries (
  account_id text NOT NULL,
  position bigint NOT NULL,
  -- ID of the event and the number of the object in it: the same however often it is delivered.
  change_id text NOT NULL,
  type text NOT NULL,
  object_id text NOT NULL,
  bank_account_id text,
  -- Version of the object after the change, as its owner counts.
  version bigint NOT NULL,
  -- Instant of the change.
  at timestamptz NOT NULL,
  actor text NOT NULL,
  -- ID of the request, sync, upload, run or operation that made the change.
  cause_id text,
  PRIMARY KEY (account_id, position)
);
