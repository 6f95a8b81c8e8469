-- Codes that let somebody register; each is deleted when it is used.
CREATE TABLE beta_codes (
  -- SHA-256 of the code in lower case.
  code_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX beta_codes_by_expiry ON beta_codes (expires_at);
