WITH
  guard AS MATERIALIZED (
    SELECT
      new.*
    FROM
      jsonb_to_recordset($1::jsonb) AS new (
        account_id text,
        bank_account_id text,
        read_version bigint,
        bank_account jsonb,
        entries jsonb,
        created jsonb,
        inserted jsonb,
        changes jsonb,
        replies jsonb,
        operations jsonb,
        envelopes jsonb,
        updated jsonb,
        deleted jsonb,
        records jsonb,
        "accountRecords" jsonb,
        aliases jsonb,
        "bulkOperations" jsonb,
        closed text[],
        forgotten text[]
      )
  ),
  "saved_entries" AS (
    INSERT INTO
      "journal" (
        "account_id",
        "operation_id",
        "bank_account_id",
        "spending_id",
        "pot",
        "delta",
        "amount",
        "cause",
        "cause_id",
        "created_at",
        "date",
        "created_by"
      )
    SELECT
      new."account_id",
      new."operation_id",
      new."bank_account_id",
      new."spending_id",
      new."pot",
      new."delta",
      new."amount",
      new."cause",
      new."cause_id",
      new."created_at",
      new."date",
      new."created_by"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"journal", guard."entries") AS new
  ),
  "saved_changes" AS (
    INSERT INTO
      "changes" (
        "change_id",
        "account_id",
        "type",
        "entity_id",
        "version",
        "payload",
        "trace_context"
      )
    SELECT
      new."change_id",
      new."account_id",
      new."type",
      new."entity_id",
      new."version",
      new."payload",
      new."trace_context"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"changes", guard."changes") AS new
  ),
  "saved_replies" AS (
    INSERT INTO
      "idempotency_keys" (
        "account_id",
        "route",
        "key",
        "body_hash",
        "reply"
      )
    SELECT
      new."account_id",
      new."route",
      new."key",
      new."body_hash",
      new."reply"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"idempotency_keys", guard."replies") AS new
  )
INSERT INTO
  "bank_accounts" (
    "account_id",
    "bank_account_id",
    "link_id",
    "link_type",
    "feed_bank_account_id",
    "currency",
    "available_balance",
    "current_balance",
    "limit_balance",
    "expenses",
    "goals",
    "balances_as_of",
    "mask",
    "name",
    "original_name",
    "account_type",
    "account_sub_type",
    "status",
    "last_updated",
    "created_at",
    "updated_at",
    "deleted_at",
    "removed_at",
    "version"
  )
SELECT
  new."account_id",
  new."bank_account_id",
  new."link_id",
  new."link_type",
  new."feed_bank_account_id",
  new."currency",
  new."available_balance",
  new."current_balance",
  new."limit_balance",
  new."expenses",
  new."goals",
  new."balances_as_of",
  new."mask",
  new."name",
  new."original_name",
  new."account_type",
  new."account_sub_type",
  new."status",
  new."last_updated",
  new."created_at",
  new."updated_at",
  new."deleted_at",
  new."removed_at",
  new."version"
FROM
  guard
  CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"bank_accounts", guard."bank_account") AS new
