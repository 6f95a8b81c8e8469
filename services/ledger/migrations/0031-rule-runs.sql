-- Runs of rules over stored transactions. `rules` are the rules as they were when the run was created,
-- null once it has ended; the place is the last transaction that the run has compared.
CREATE TABLE rule_runs (
  account_id text NOT NULL,
  rule_run_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'complete', 'failed', 'undoing', 'undone')),
  error text,
  bank_account_id text,
  from_day text,
  to_day text,
  timezone text NOT NULL,
  rule_ids text[] NOT NULL,
  rules jsonb,
  place_bank_account_id text NOT NULL,
  place_transaction_id text NOT NULL,
  matched_count bigint NOT NULL,
  changed_count bigint NOT NULL,
  left_alone_count bigint NOT NULL,
  undone_count bigint NOT NULL,
  kept_count bigint NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text,
  completed_at timestamptz,
  undone_at timestamptz,
  PRIMARY KEY (account_id, rule_run_id)
);
CREATE INDEX rule_runs_unfinished ON rule_runs (rule_run_id)
  WHERE status IN ('running', 'undoing');
CREATE INDEX rule_runs_oldest ON rule_runs (created_at);

-- What a run has changed, by which it is undone; an undo deletes the rows. `fields` are RunField of the
-- ledger. ON DELETE CASCADE: the version before deletes bank accounts, and does not know the table.
CREATE TABLE rule_run_changes (
  account_id text NOT NULL,
  rule_run_id text NOT NULL,
  bank_account_id text NOT NULL,
  transaction_id text NOT NULL,
  fields jsonb NOT NULL,
  PRIMARY KEY (account_id, rule_run_id, bank_account_id, transaction_id),
  FOREIGN KEY (account_id, bank_account_id) REFERENCES bank_accounts ON DELETE CASCADE
);
CREATE INDEX rule_run_changes_of_bank_account
  ON rule_run_changes (account_id, bank_account_id, transaction_id);
