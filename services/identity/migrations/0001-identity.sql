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
