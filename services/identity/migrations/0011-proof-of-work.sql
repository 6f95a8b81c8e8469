-- Challenges that were solved and used; those merely issued are known by their signature.
CREATE TABLE spent_challenges (
  challenge_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);
