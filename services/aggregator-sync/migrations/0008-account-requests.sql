-- Requests of an account that call the aggregator, by kind: a client alone cannot use up the limits
-- of all accounts, nor create rows of failed links without end.
CREATE TABLE account_requests (
  account_id text NOT NULL,
  kind text NOT NULL,
  -- Begin of a minute and of a day (UTC), and the requests since.
  minute timestamptz NOT NULL,
  minute_count integer NOT NULL,
  day timestamptz NOT NULL,
  day_count integer NOT NULL,
  PRIMARY KEY (account_id, kind)
) WITH (fillfactor = 70);
