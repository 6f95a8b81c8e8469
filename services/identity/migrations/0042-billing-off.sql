-- Since when an account counts as paid up because there is no billing any more; null while there
-- is, or never was.

ALTER TABLE accounts ADD COLUMN billing_left_at timestamptz;

-- What the sweep looks for while billing is off, and while it is on.
CREATE INDEX accounts_in_billing ON accounts (account_id)
  WHERE trial_ends_at IS NOT NULL AND billing_left_at IS NULL;
CREATE INDEX accounts_left_by_billing ON accounts (account_id) WHERE billing_left_at IS NOT NULL;
