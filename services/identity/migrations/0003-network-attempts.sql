-- Attempts of networks (sign-in, codes, sign-up, requests for mails) in fixed windows of a minute,
-- over all gateways. Unlogged: a crash of Postgres empties the table, which begins new windows.
CREATE UNLOGGED TABLE network_attempts (
  -- SHA-256 of an IPv4 address or of the /64 prefix of an IPv6 address.
  network_hash bytea PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX network_attempts_by_end ON network_attempts (ends_at);
