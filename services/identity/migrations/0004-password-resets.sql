ALTER TABLE logins ADD COLUMN password_reset_at timestamptz;

-- Who may set a new password without the old one, once and for a short time.
CREATE TABLE password_resets (
  -- SHA-256 of the token in the link.
  token_hash bytea PRIMARY KEY,
  login_id text NOT NULL REFERENCES logins ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_of_login ON password_resets (login_id);
