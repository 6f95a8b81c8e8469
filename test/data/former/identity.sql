-- Migration 0001-identity.sql of an earlier release
CREATE TABLE logins (
  login_id text PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  password_hash text NOT NULL,
  first_name text NOT NULL CHECK (char_length(first_name) BETWEEN 1 AND 300),
  last_name text NOT NULL CHECK (char_length(last_name) <= 300),
  disabled_at timestamptz,
  created_at timestamptz NOT NULL
);

CREATE TABLE accounts (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  locale text NOT NULL,
  version bigint NOT NULL CHECK (version > 0),
  created_at timestamptz NOT NULL
);

CREATE TABLE users (
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  user_id text NOT NULL,
  login_id text NOT NULL REFERENCES logins,
  role text NOT NULL CHECK (role IN ('owner', 'member')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, user_id),
  UNIQUE (login_id, account_id)
);

CREATE TABLE sessions (
  account_id text NOT NULL,
  user_id text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, user_id, token_hash),
  FOREIGN KEY (account_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  account_id text NOT NULL,
  api_key_id text NOT NULL UNIQUE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  secret_hash bytea NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, api_key_id),
  FOREIGN KEY (account_id, created_by) REFERENCES users ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_live_name ON api_keys (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX api_keys_of_user ON api_keys (account_id, created_by);

CREATE TABLE sign_in_attempts (
  email_hash bytea PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (ends_at);
-- Migration 0002-multifactor.sql of an earlier release
DELETE FROM sessions;
ALTER TABLE sessions
  ADD COLUMN session_id text NOT NULL UNIQUE,
  ADD COLUMN is_pending boolean NOT NULL;

ALTER TABLE sign_in_attempts RENAME COLUMN email_hash TO subject_hash;

CREATE TABLE authenticators (
  login_id text PRIMARY KEY REFERENCES logins ON DELETE CASCADE,
  key_id text NOT NULL,
  data_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at timestamptz NOT NULL,
  enabled_at timestamptz,
  last_step bigint NOT NULL DEFAULT 0
);

CREATE TABLE recovery_codes (
  login_id text NOT NULL REFERENCES authenticators ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  PRIMARY KEY (login_id, code_hash)
);
-- Migration 0003-api-key-limits.sql of an earlier release
ALTER TABLE api_keys
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read')),
  ADD COLUMN last_used_at timestamptz;
-- Migration 0004-password-resets.sql of an earlier release
ALTER TABLE logins ADD COLUMN password_reset_at timestamptz;

CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY,
  login_id text NOT NULL REFERENCES logins ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_of_login ON password_resets (login_id);
-- Migration 0010-mail.sql of an earlier release
ALTER TABLE logins
  ADD COLUMN email_verified_at timestamptz,
  ADD COLUMN is_password_expired boolean NOT NULL DEFAULT false;

ALTER TABLE password_resets RENAME TO link_tokens;
ALTER INDEX password_resets_of_login RENAME TO link_tokens_of_login;
ALTER TABLE link_tokens
  ADD COLUMN scope text NOT NULL DEFAULT 'reset' CHECK (scope IN ('reset', 'verify'));
ALTER TABLE link_tokens ALTER COLUMN scope DROP DEFAULT;
CREATE INDEX link_tokens_by_expiry ON link_tokens (expires_at);

CREATE TABLE mails (
  mail_id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'password-changed')),
  email text NOT NULL,
  created_at timestamptz NOT NULL
);
-- Migration 0011-proof-of-work.sql of an earlier release
CREATE TABLE spent_challenges (
  challenge_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);
-- Migration 0012-beta-codes.sql of an earlier release
CREATE TABLE beta_codes (
  code_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX beta_codes_by_expiry ON beta_codes (expires_at);
-- Migration 0020-billing.sql of an earlier release
ALTER TABLE accounts
  ADD COLUMN trial_ends_at timestamptz,
  ADD COLUMN subscription_active_until timestamptz,
  ADD COLUMN subscription_status text,
  ADD COLUMN subscription_id text,
  ADD COLUMN billing_customer_id text,
  ADD COLUMN billing_read_at timestamptz,
  ADD COLUMN trial_notice_at timestamptz;

CREATE UNIQUE INDEX accounts_of_customer ON accounts (billing_customer_id)
  WHERE billing_customer_id IS NOT NULL;

CREATE INDEX accounts_without_trial ON accounts (account_id) WHERE trial_ends_at IS NULL;
CREATE INDEX accounts_without_customer ON accounts (account_id) WHERE billing_customer_id IS NULL;
CREATE INDEX accounts_with_trial_notice_due ON accounts (trial_ends_at, account_id)
  WHERE trial_notice_at IS NULL AND subscription_active_until IS NULL;
CREATE INDEX accounts_with_subscription_ended ON accounts (subscription_active_until, account_id)
  WHERE subscription_status = 'active';
-- Migration 0021-account-deletions.sql of an earlier release
CREATE TABLE account_deletions (
  account_id text PRIMARY KEY,
  requested_at timestamptz NOT NULL
);
CREATE INDEX account_deletions_by_age ON account_deletions (requested_at);
-- Migration 0040-notices.sql of an earlier release
ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed'));
-- Migration 0041-trial-mail.sql of an earlier release
ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed', 'trial-ending'));
-- Migration 0042-billing-off.sql of an earlier release
ALTER TABLE accounts ADD COLUMN billing_left_at timestamptz;

CREATE INDEX accounts_in_billing ON accounts (account_id)
  WHERE trial_ends_at IS NOT NULL AND billing_left_at IS NULL;
CREATE INDEX accounts_left_by_billing ON accounts (account_id) WHERE billing_left_at IS NOT NULL;
-- Migration 0043-unverified-accounts.sql of an earlier release
ALTER TABLE logins ADD COLUMN verify_by timestamptz;
CREATE INDEX logins_to_verify ON logins (verify_by) WHERE verify_by IS NOT NULL;
-- Migration 0050-names.sql of an earlier release
ALTER TABLE link_tokens RENAME CONSTRAINT password_resets_pkey TO link_tokens_pkey;
ALTER TABLE link_tokens
  RENAME CONSTRAINT password_resets_login_id_fkey TO link_tokens_login_id_fkey;
