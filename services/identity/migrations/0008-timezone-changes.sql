-- Accounts whose days are being moved to another timezone, until all services have moved them.
CREATE TABLE timezone_changes (
  account_id text PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  timezone text NOT NULL,
  requested_at timestamptz NOT NULL
);
