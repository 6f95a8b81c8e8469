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
