-- Accounts whose owner wants them gone, until nothing of them is left anywhere.
CREATE TABLE account_deletions (
  account_id text PRIMARY KEY,
  requested_at timestamptz NOT NULL
);
CREATE INDEX account_deletions_by_age ON account_deletions (requested_at);
