-- What limits an API key, and when it was used.
ALTER TABLE api_keys
  -- Null: until it is revoked.
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read')),
  ADD COLUMN last_used_at timestamptz;
