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
