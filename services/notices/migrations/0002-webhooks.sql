-- Webhooks: URLs to which the changes of an account are sent.
CREATE TABLE webhooks (
  account_id text NOT NULL,
  webhook_id text NOT NULL,
  url text NOT NULL,
  -- Types of the changes that it gets; empty for all.
  types text[] NOT NULL,
  description text NOT NULL,
  is_enabled boolean NOT NULL,
  -- Reason of the server for switching it off; null if it is on, or its user switched it off.
  disabled_reason text,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  -- Credential of the request that created it: session or key.
  created_with text NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The row stays without secrets until a sweep has removed the deliveries.
  deleted_at timestamptz,
  PRIMARY KEY (account_id, webhook_id),
  CHECK (is_enabled = (disabled_at IS NULL))
);

-- Secrets that sign deliveries, sealed: AES-256-GCM under a data key of their own. Two are valid
-- while a webhook changes from one to the next.
CREATE TABLE webhook_secrets (
  account_id text NOT NULL,
  webhook_id text NOT NULL,
  webhook_secret_id text NOT NULL,
  created_at timestamptz NOT NULL,
  ends_at timestamptz,
  key_id text NOT NULL,
  data_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (account_id, webhook_id, webhook_secret_id),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
);

-- How far each webhook has come. Apart from its definition, because each delivery updates the row.
CREATE TABLE webhook_progress (
  account_id text NOT NULL,
  webhook_id text NOT NULL,
  -- Position in the feed up to which each change has its delivery.
  position bigint NOT NULL,
  -- When the next attempt is to be made; null if nothing waits.
  due_at timestamptz,
  -- Rounds without a success since the last one, and the instant of the first of them.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- Nothing is sent before.
  rest_until timestamptz,
  -- Lease of the process that sends; another one that has work leaves a mark.
  lease_id text,
  leased_until timestamptz,
  is_woken boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, webhook_id),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
) WITH (fillfactor = 50);

-- Deliveries of the last 30 days: one row for a change and a webhook, written after its first
-- attempt.
CREATE TABLE webhook_deliveries (
  account_id text NOT NULL,
  webhook_id text NOT NULL,
  delivery_id text NOT NULL,
  change_id text NOT NULL,
  type text NOT NULL,
  object_id text NOT NULL,
  position bigint NOT NULL,
  body text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL,
  created_at timestamptz NOT NULL,
  -- First attempt since it was created or is to be sent again: three days of attempts begin.
  started_at timestamptz,
  attempted_at timestamptz,
  -- Null if no attempt is planned, or an earlier delivery of the object has to be answered first.
  next_attempt_at timestamptz,
  answer_status integer,
  -- First KiB of the answer.
  answer text,
  problem text,
  PRIMARY KEY (account_id, webhook_id, delivery_id)
);
CREATE INDEX webhook_deliveries_pending
  ON webhook_deliveries (account_id, webhook_id, position) WHERE status = 'pending';
