-- Accounts that are deleted: what is still under way for one must not bring rows of it back.
CREATE TABLE deleted_accounts (
  account_id text PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
