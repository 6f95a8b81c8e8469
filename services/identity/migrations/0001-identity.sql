-- Logins, accounts and billing. Passwords, tokens and codes are kept as hashes only.

CREATE TABLE logins (
  login_id text PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  password_hash text NOT NULL,
  first_name text NOT NULL CHECK (char_length(first_name) BETWEEN 1 AND 300),
  last_name text NOT NULL CHECK (char_length(last_name) <= 300),
  -- A disabled login cannot sign in; its sessions and keys are refused.
  disabled_at timestamptz,
  created_at timestamptz NOT NULL,
  password_reset_at timestamptz,
  email_verified_at timestamptz,
  -- The password signs in only to be replaced by another one.
  is_password_expired boolean NOT NULL DEFAULT false,
  -- Until when the address of a registration is to be verified. Null once it is, after the first
  -- sign-in to the account, and where no verification was asked for. A sweep removes what is late.
  verify_by timestamptz
);
CREATE INDEX logins_to_verify ON logins (verify_by) WHERE verify_by IS NOT NULL;

CREATE TABLE accounts (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  locale text NOT NULL,
  -- Orders the copies of these settings that other services hold.
  version bigint NOT NULL CHECK (version > 0),
  created_at timestamptz NOT NULL,
  trial_ends_at timestamptz,
  -- Paid up until then, some days of grace included.
  subscription_active_until timestamptz,
  -- In Stripe's words: active, past_due and so on.
  subscription_status text,
  -- Null without a subscription that could still be paid.
  subscription_id text,
  billing_customer_id text,
  -- When Stripe was last asked.
  billing_read_at timestamptz,
  -- When the owner was told that the trial ends.
  trial_notice_at timestamptz,
  -- Since when the account counts as paid up because billing was switched off; null while it is on,
  -- and where it never was.
  billing_left_at timestamptz
);
-- Stripe's messages name the customer alone.
CREATE UNIQUE INDEX accounts_of_customer ON accounts (billing_customer_id)
  WHERE billing_customer_id IS NOT NULL;
-- For the billing sweep: what it looks for while billing is on,
CREATE INDEX accounts_without_trial ON accounts (account_id) WHERE trial_ends_at IS NULL;
CREATE INDEX accounts_without_customer ON accounts (account_id) WHERE billing_customer_id IS NULL;
CREATE INDEX accounts_with_trial_notice_due ON accounts (trial_ends_at, account_id)
  WHERE trial_notice_at IS NULL AND subscription_active_until IS NULL;
CREATE INDEX accounts_with_subscription_ended ON accounts (subscription_active_until, account_id)
  WHERE subscription_status = 'active';
CREATE INDEX accounts_left_by_billing ON accounts (account_id) WHERE billing_left_at IS NOT NULL;
-- and while it is off.
CREATE INDEX accounts_in_billing ON accounts (account_id)
  WHERE trial_ends_at IS NOT NULL AND billing_left_at IS NULL;

-- Accounts to be deleted, until no service holds anything of them.
CREATE TABLE account_deletions (
  account_id text PRIMARY KEY,
  requested_at timestamptz NOT NULL
);
CREATE INDEX account_deletions_by_age ON account_deletions (requested_at);

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
  -- Names the session in lists, and where one is ended.
  session_id text NOT NULL UNIQUE,
  -- The second factor is still owed: the session can do nothing else.
  is_pending boolean NOT NULL,
  PRIMARY KEY (account_id, user_id, token_hash),
  FOREIGN KEY (account_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  account_id text NOT NULL,
  api_key_id text NOT NULL UNIQUE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  -- SHA-256 of the secret, which is shown once.
  secret_hash bytea NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- Null: until it is revoked.
  expires_at timestamptz,
  scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read')),
  last_used_at timestamptz,
  PRIMARY KEY (account_id, api_key_id),
  FOREIGN KEY (account_id, created_by) REFERENCES users ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_live_name ON api_keys (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX api_keys_of_user ON api_keys (account_id, created_by);

-- Second factors: a TOTP authenticator for each login at most, with its recovery codes.
CREATE TABLE authenticators (
  login_id text PRIMARY KEY REFERENCES logins ON DELETE CASCADE,
  -- The seed, sealed: AES-256-GCM under a data key of its own.
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
  -- SHA-256 of the code. The row is deleted when the code is used.
  code_hash bytea NOT NULL,
  PRIMARY KEY (login_id, code_hash)
);

-- Failed tries within a minute: sign-ins of one address, known or not, and codes and passwords that
-- are asked again. The address itself is not kept: people mistype, and others guess.
CREATE TABLE sign_in_attempts (
  subject_hash bytea PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (ends_at);

-- Links that were mailed. A token is good once, for a short time, and for its scope only.
CREATE TABLE link_tokens (
  -- SHA-256 of the token in the link.
  token_hash bytea PRIMARY KEY,
  login_id text NOT NULL REFERENCES logins ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  scope text NOT NULL CHECK (scope IN ('reset', 'verify'))
);
CREATE INDEX link_tokens_of_login ON link_tokens (login_id);
CREATE INDEX link_tokens_by_expiry ON link_tokens (expires_at);

-- Mails to send. A row is deleted when its mail is sent, or when nobody is there to get it: typed
-- addresses are not kept. The link in a mail is made when it is sent, so no secret waits here.
CREATE TABLE mails (
  mail_id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'password-changed',
    'authenticator-enabled', 'authenticator-disabled', 'recovery-codes-renewed', 'trial-ending')),
  email text NOT NULL,
  created_at timestamptz NOT NULL
);

-- Challenges of the proof of work that were solved and used. Issued ones carry a signature instead.
CREATE TABLE spent_challenges (
  challenge_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);

-- Codes that each let one person register. A row is deleted when its code is used.
CREATE TABLE beta_codes (
  -- SHA-256 of the code in lower case.
  code_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX beta_codes_by_expiry ON beta_codes (expires_at);
