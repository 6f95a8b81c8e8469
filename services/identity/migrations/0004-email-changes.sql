-- A changed email address, until the link that was mailed to it is used. A link of this scope names
-- the address: it verifies no other one. A mail names a login if its address may be that of none:
-- the address before a change, or the one after it.
ALTER TABLE logins ADD COLUMN pending_email text;
ALTER TABLE link_tokens
  ADD COLUMN mailed_to text,
  DROP CONSTRAINT link_tokens_scope_check,
  ADD CONSTRAINT link_tokens_scope_check
    CHECK (scope IN ('reset', 'verify', 'change')) NOT VALID;
ALTER TABLE mails
  ADD COLUMN login_id text,
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'change-email', 'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed', 'email-change-requested', 'email-changed', 'trial-ending',
    'link-expiring', 'link-broken')) NOT VALID;
