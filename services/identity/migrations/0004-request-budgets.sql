-- Units that requests have used, in fixed windows of a minute, over all gateways. Unlogged: a crash
-- of Postgres empties the table, which begins new windows.
CREATE UNLOGGED TABLE request_budgets (
  account_id text NOT NULL,
  -- Empty for the budget of the account itself.
  api_key_id text NOT NULL,
  spent integer NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, api_key_id)
);
CREATE INDEX request_budgets_by_end ON request_budgets (ends_at);
