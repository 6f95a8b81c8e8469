-- Wrong codes of second factors, in windows that grow with the failures in a row. The version before
-- counts codes in sign_in_attempts: while both run, each applies its own limit.
CREATE TABLE code_attempts (
  login_id text NOT NULL REFERENCES logins ON DELETE CASCADE,
  -- Codes of a pending session, which follow the password, and those of an open session.
  purpose text NOT NULL CHECK (purpose IN ('sign-in', 're-authentication')),
  -- Wrong codes in a row since the last right one; at 100 no code is checked any more.
  failures integer NOT NULL,
  -- Codes checked in the window that ends at ends_at; one above the limit after a refused one.
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (login_id, purpose)
);

-- False for the token that a sign-in with an expired password returns: its client has shown the
-- password alone. Links of the version before unlock nothing: they work for some minutes.
ALTER TABLE link_tokens ADD COLUMN unlocks_codes boolean NOT NULL DEFAULT false;

-- A replica of the version before that is to send a new kind of mail fails, and Temporal repeats
-- until a replica of this version does.
ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN ('verify-email', 'reset-password',
    'change-email', 'password-changed', 'authenticator-enabled', 'authenticator-disabled',
    'recovery-codes-renewed', 'wrong-codes', 'second-factor-locked', 'email-change-requested',
    'email-changed', 'trial-ending', 'link-expiring', 'link-broken')) NOT VALID;
