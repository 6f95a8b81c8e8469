-- Mails about links over the aggregator whose consent ends or has ended; they name the institution
-- and the day. The version before inserts no such mail. A replica of it that is to send one fails,
-- and Temporal repeats until a replica of this version does.
ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'password-changed', 'authenticator-enabled', 'authenticator-disabled', 'recovery-codes-renewed',
    'trial-ending', 'link-expiring', 'link-broken')),
  ADD COLUMN institution_name text,
  -- End of the consent, and the account's timezone, in which the mail states its day.
  ADD COLUMN consent_ends_at timestamptz,
  ADD COLUMN timezone text,
  ADD CONSTRAINT mails_institution_check
    CHECK ((kind IN ('link-expiring', 'link-broken')) = (institution_name IS NOT NULL));
