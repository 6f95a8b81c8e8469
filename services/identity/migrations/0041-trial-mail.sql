-- The mail that says a trial ends.

ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed', 'trial-ending'));
