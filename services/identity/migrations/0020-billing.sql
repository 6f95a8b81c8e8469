-- What an account has paid for, as Stripe said last.

ALTER TABLE accounts
  ADD COLUMN trial_ends_at timestamptz,
  -- Paid up until then, some days of grace included.
  ADD COLUMN subscription_active_until timestamptz,
  -- Stripe's word for it: active, past_due and so on.
  ADD COLUMN subscription_status text,
  -- Null without a subscription that could still be paid.
  ADD COLUMN subscription_id text,
  ADD COLUMN billing_customer_id text,
  -- When Stripe was last asked.
  ADD COLUMN billing_read_at timestamptz,
  -- When the owner was told that the trial ends.
  ADD COLUMN trial_notice_at timestamptz;

-- Stripe's messages name the customer alone.
CREATE UNIQUE INDEX accounts_of_customer ON accounts (billing_customer_id)
  WHERE billing_customer_id IS NOT NULL;

-- What the billing sweep looks for.
CREATE INDEX accounts_without_trial ON accounts (account_id) WHERE trial_ends_at IS NULL;
CREATE INDEX accounts_without_customer ON accounts (account_id) WHERE billing_customer_id IS NULL;
CREATE INDEX accounts_with_trial_notice_due ON accounts (trial_ends_at, account_id)
  WHERE trial_notice_at IS NULL AND subscription_active_until IS NULL;
CREATE INDEX accounts_with_subscription_ended ON accounts (subscription_active_until, account_id)
  WHERE subscription_status = 'active';
