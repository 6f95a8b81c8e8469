-- Migration 0001-budgeting.sql of an earlier release
CREATE DOMAIN money_amount AS bigint
  CHECK (VALUE BETWEEN -9007199254740991 AND 9007199254740991);

CREATE TABLE account_settings (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  version bigint NOT NULL
);

CREATE TABLE ended_bank_accounts (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('removed', 'archived')),
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id)
);

CREATE TABLE funding_schedules (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  funding_schedule_id text NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  description text CHECK (char_length(description) BETWEEN 1 AND 300),
  ruleset text NOT NULL CHECK (char_length(ruleset) <= 8000),
  exclude_weekends boolean NOT NULL,
  wait_for_deposit boolean NOT NULL,
  auto_create_transaction boolean NOT NULL,
  estimated_deposit money_amount CHECK (estimated_deposit >= 0),
  last_recurrence timestamptz,
  next_recurrence timestamptz NOT NULL,
  next_recurrence_original timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, funding_schedule_id),
  CONSTRAINT funding_schedules_name UNIQUE (account_id, bank_account_id, name)
);
CREATE INDEX funding_schedules_due ON funding_schedules (next_recurrence)
  WHERE last_recurrence IS DISTINCT FROM next_recurrence;

CREATE TABLE spending (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  spending_id text NOT NULL,
  funding_schedule_id text NOT NULL,
  spending_type text NOT NULL CHECK (spending_type IN ('expense', 'goal')),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  target_amount money_amount NOT NULL CHECK (target_amount > 0),
  current_amount money_amount NOT NULL CHECK (current_amount >= 0),
  used_amount money_amount NOT NULL CHECK (used_amount >= 0),
  amounts_version bigint NOT NULL,
  ruleset text CHECK (char_length(ruleset) <= 8000),
  last_recurrence timestamptz,
  next_recurrence timestamptz NOT NULL,
  next_contribution_amount money_amount NOT NULL CHECK (next_contribution_amount >= 0),
  is_behind boolean NOT NULL,
  is_paused boolean NOT NULL,
  auto_create_transaction boolean NOT NULL,
  calculated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('opening', 'open')),
  opening_key text,
  revision bigint NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, spending_id),
  FOREIGN KEY (account_id, bank_account_id, funding_schedule_id) REFERENCES funding_schedules,
  CONSTRAINT spending_name UNIQUE (account_id, bank_account_id, spending_type, name),
  CHECK ((spending_type = 'goal') = (ruleset IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX spending_of_schedule ON spending (account_id, bank_account_id, funding_schedule_id);
CREATE INDEX spending_due ON spending (next_recurrence)
  WHERE state = 'open' AND NOT is_paused AND last_recurrence IS DISTINCT FROM next_recurrence;
CREATE INDEX spending_opening ON spending (created_at) WHERE state = 'opening';

CREATE TABLE funding_runs (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  funding_run_id text NOT NULL,
  funding_schedule_id text NOT NULL,
  occurrence timestamptz NOT NULL,
  deposit_transaction_id text,
  deposit_name text,
  deposit_amount money_amount CHECK (deposit_amount < 0),
  state text NOT NULL CHECK (state IN ('pending', 'applied')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, funding_run_id),
  CONSTRAINT funding_runs_once
    UNIQUE (account_id, bank_account_id, funding_schedule_id, occurrence),
  CHECK ((deposit_transaction_id IS NULL) = (deposit_amount IS NULL)),
  CHECK ((deposit_transaction_id IS NULL) = (deposit_name IS NULL))
);
CREATE INDEX funding_runs_pending ON funding_runs (account_id, bank_account_id)
  WHERE state = 'pending';

CREATE TABLE funding_run_lines (
  account_id text NOT NULL,
  bank_account_id text NOT NULL,
  funding_run_id text NOT NULL,
  spending_id text NOT NULL,
  amount money_amount NOT NULL CHECK (amount > 0),
  ceiling money_amount NOT NULL,
  PRIMARY KEY (account_id, bank_account_id, funding_run_id, spending_id),
  FOREIGN KEY (account_id, bank_account_id, funding_run_id) REFERENCES funding_runs
);
-- Migration 0010-subscriptions.sql of an earlier release
ALTER TABLE account_settings ADD COLUMN subscription_active_until timestamptz;
-- Migration 0011-plan-changes.sql of an earlier release
ALTER TABLE funding_schedules ADD COLUMN deleted_at timestamptz,
  DROP CONSTRAINT funding_schedules_name;
CREATE UNIQUE INDEX funding_schedules_name
  ON funding_schedules (account_id, bank_account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX funding_schedules_deleted ON funding_schedules (deleted_at)
  WHERE deleted_at IS NOT NULL;

ALTER TABLE spending ADD COLUMN opening_body bytea;
CREATE UNIQUE INDEX spending_opening_key ON spending (account_id, opening_key)
  WHERE opening_key IS NOT NULL;
-- Migration 0020-due-order.sql of an earlier release
CREATE INDEX funding_schedules_due_order
  ON funding_schedules (next_recurrence, account_id, bank_account_id)
  WHERE last_recurrence IS DISTINCT FROM next_recurrence AND deleted_at IS NULL;
DROP INDEX funding_schedules_due;
CREATE INDEX spending_due_order ON spending (next_recurrence, account_id, bank_account_id)
  WHERE state = 'open' AND NOT is_paused AND last_recurrence IS DISTINCT FROM next_recurrence;
DROP INDEX spending_due;
CREATE INDEX funding_runs_pending_order ON funding_runs (occurrence, account_id, bank_account_id)
  WHERE state = 'pending';
