-- file: 0001-identity.sql
-- Who signs in, for which account, and with what. Secrets are kept as hashes only.

CREATE TABLE logins (
  login_id text PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  password_hash text NOT NULL,
  first_name text NOT NULL CHECK (char_length(first_name) BETWEEN 1 AND 300),
  last_name text NOT NULL CHECK (char_length(last_name) <= 300),
  -- A disabled login cannot sign in; its sessions and keys are refused.
  disabled_at timestamptz,
  created_at timestamptz NOT NULL
);

CREATE TABLE accounts (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  locale text NOT NULL,
  -- Orders the settings others hold of this account.
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
  -- SHA-256 of the token in the cookie.
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
  -- SHA-256 of the secret shown once.
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

-- Failed sign-ins of one email address within a minute, known or not. The address itself is not
-- kept: people mistype, and others guess.
CREATE TABLE sign_in_attempts (
  email_hash bytea PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (ends_at);
-- file: 0002-multifactor.sql
-- Second factors, and sessions that still owe theirs.

-- Sessions get an ID by which they are shown and ended. Those that have none end: one sign-in each.
DELETE FROM sessions;
ALTER TABLE sessions
  ADD COLUMN session_id text NOT NULL UNIQUE,
  -- A session that owes its second factor can do nothing but pay it.
  ADD COLUMN is_pending boolean NOT NULL;

-- The limit is not only for email addresses: codes and passwords asked for again are guessed too.
ALTER TABLE sign_in_attempts RENAME COLUMN email_hash TO subject_hash;

CREATE TABLE authenticators (
  login_id text PRIMARY KEY REFERENCES logins ON DELETE CASCADE,
  -- The seed, sealed (AES-256-GCM under a data key of its own).
  key_id text NOT NULL,
  data_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null until a code of it was confirmed: only then it counts.
  enabled_at timestamptz,
  -- The time step of the last code accepted; no code is accepted twice.
  last_step bigint NOT NULL DEFAULT 0
);

CREATE TABLE recovery_codes (
  login_id text NOT NULL REFERENCES authenticators ON DELETE CASCADE,
  -- SHA-256 of the code; it is deleted when it is used.
  code_hash bytea NOT NULL,
  PRIMARY KEY (login_id, code_hash)
);
-- file: 0003-api-key-limits.sql
-- What limits an API key, and when it was used.
ALTER TABLE api_keys
  -- Null: until it is revoked.
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read')),
  ADD COLUMN last_used_at timestamptz;
-- file: 0004-password-resets.sql
ALTER TABLE logins ADD COLUMN password_reset_at timestamptz;

-- Who may set a new password without the old one, once and for a short time.
CREATE TABLE password_resets (
  -- SHA-256 of the token in the link.
  token_hash bytea PRIMARY KEY,
  login_id text NOT NULL REFERENCES logins ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_of_login ON password_resets (login_id);
-- file: 0010-mail.sql
-- Verified email addresses, and mails that wait to be sent.

ALTER TABLE logins
  ADD COLUMN email_verified_at timestamptz,
  -- Until another password is set, this one signs nobody in.
  ADD COLUMN is_password_expired boolean NOT NULL DEFAULT false;

-- Links verify addresses too: a token is good for what it was issued for and nothing else.
ALTER TABLE password_resets RENAME TO link_tokens;
ALTER INDEX password_resets_of_login RENAME TO link_tokens_of_login;
ALTER TABLE link_tokens
  ADD COLUMN scope text NOT NULL DEFAULT 'reset' CHECK (scope IN ('reset', 'verify'));
ALTER TABLE link_tokens ALTER COLUMN scope DROP DEFAULT;
CREATE INDEX link_tokens_by_expiry ON link_tokens (expires_at);

-- A row is deleted when its mail is sent, or when there is nobody to send it to: addresses that
-- were typed in are not kept. The link is made when it is sent, so no secret waits here.
CREATE TABLE mails (
  mail_id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'password-changed')),
  email text NOT NULL,
  created_at timestamptz NOT NULL
);
-- file: 0011-proof-of-work.sql
-- Challenges that were solved and used; those merely issued are known by their signature.
CREATE TABLE spent_challenges (
  challenge_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);
-- file: 0012-beta-codes.sql
-- Codes that let somebody register; each is deleted when it is used.
CREATE TABLE beta_codes (
  -- SHA-256 of the code in lower case.
  code_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX beta_codes_by_expiry ON beta_codes (expires_at);
-- file: 0020-billing.sql
-- What an account has paid for, as Stripe said last.

ALTER TABLE accounts
  ADD COLUMN trial_ends_at timestamptz,
  -- Paid up until then, some days of grace included.
  ADD COLUMN subscription_active_until timestamptz,
  -- Stripe's word for it: active, past_due and so on.
  ADD COLUMN subscription_status text,
  -- Null without a subscription that could still be paid.
  ADD COLUMN subscription_id text,
  ADD COLUMN billing_customer_id text,
  -- When Stripe was last asked.
  ADD COLUMN billing_read_at timestamptz,
  -- When the owner was told that the trial ends.
  ADD COLUMN trial_notice_at timestamptz;

-- Stripe's messages name the customer alone.
CREATE UNIQUE INDEX accounts_of_customer ON accounts (billing_customer_id)
  WHERE billing_customer_id IS NOT NULL;

-- What the billing sweep looks for.
CREATE INDEX accounts_without_trial ON accounts (account_id) WHERE trial_ends_at IS NULL;
CREATE INDEX accounts_without_customer ON accounts (account_id) WHERE billing_customer_id IS NULL;
CREATE INDEX accounts_with_trial_notice_due ON accounts (trial_ends_at, account_id)
  WHERE trial_notice_at IS NULL AND subscription_active_until IS NULL;
CREATE INDEX accounts_with_subscription_ended ON accounts (subscription_active_until, account_id)
  WHERE subscription_status = 'active';
-- file: 0021-account-deletions.sql
-- Accounts whose owner wants them gone, until nothing of them is left anywhere.
CREATE TABLE account_deletions (
  account_id text PRIMARY KEY,
  requested_at timestamptz NOT NULL
);
CREATE INDEX account_deletions_by_age ON account_deletions (requested_at);
-- file: 0040-notices.sql
-- Mails that tell what was changed in a login.

ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed'));
-- file: 0041-trial-mail.sql
-- The mail that says a trial ends.

ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed', 'trial-ending'));
-- file: 0042-billing-off.sql
-- Since when an account counts as paid up because there is no billing any more; null while there
-- is, or never was.

ALTER TABLE accounts ADD COLUMN billing_left_at timestamptz;

-- What the sweep looks for while billing is off, and while it is on.
CREATE INDEX accounts_in_billing ON accounts (account_id)
  WHERE trial_ends_at IS NOT NULL AND billing_left_at IS NULL;
CREATE INDEX accounts_left_by_billing ON accounts (account_id) WHERE billing_left_at IS NOT NULL;
-- file: 0043-unverified-accounts.sql
-- Until when the address of a registration is to be verified; null once it is, once its account was
-- signed in to, and where no verification was asked for. The sweep removes accounts by it.

ALTER TABLE logins ADD COLUMN verify_by timestamptz;
CREATE INDEX logins_to_verify ON logins (verify_by) WHERE verify_by IS NOT NULL;
-- file: 0050-names.sql
-- Constraints that still have the name of their table before it was renamed.
ALTER TABLE link_tokens RENAME CONSTRAINT password_resets_pkey TO link_tokens_pkey;
ALTER TABLE link_tokens
  RENAME CONSTRAINT password_resets_login_id_fkey TO link_tokens_login_id_fkey;
