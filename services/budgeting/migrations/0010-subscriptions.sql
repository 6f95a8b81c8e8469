-- An account is paid up until then; null where there is no billing.
ALTER TABLE account_settings ADD COLUMN subscription_active_until timestamptz;
