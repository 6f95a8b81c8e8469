-- Mails about a webhook that was switched off; they name the host of its URL. A replica of the
-- version before that is to send one fails, and Temporal repeats until a replica of this version
-- does.
ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'change-email', 'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed', 'wrong-codes', 'second-factor-locked', 'email-change-requested',
    'email-changed', 'trial-ending', 'link-expiring', 'link-broken', 'webhook-failing',
    'webhook-gone')) NOT VALID,
  ADD COLUMN webhook_host text;
