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
      CROSS JOIN LATERAL (
        SELECT
          1
        FROM
          bank_accounts AS owner
        WHERE
          owner.account_id = new.account_id
          AND owner.bank_account_id = new.bank_account_id
          AND owner.version = new.read_version
        LIMIT
          1
        FOR NO KEY UPDATE
      ) AS unchanged
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
  "saved_created" AS (
    INSERT INTO
      "envelopes" (
        "account_id",
        "spending_id",
        "bank_account_id",
        "spending_type",
        "current_amount",
        "used_amount",
        "period_from",
        "period_spent",
        "period_refunded",
        "period_spent_on",
        "grace_until",
        "grace_unspent",
        "grace_missing",
        "version",
        "opened_at",
        "closed_at"
      )
    SELECT
      new."account_id",
      new."spending_id",
      new."bank_account_id",
      new."spending_type",
      new."current_amount",
      new."used_amount",
      new."period_from",
      new."period_spent",
      new."period_refunded",
      new."period_spent_on",
      new."grace_until",
      new."grace_unspent",
      new."grace_missing",
      new."version",
      new."opened_at",
      new."closed_at"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"envelopes", guard."created") AS new
  ),
  "saved_inserted" AS (
    INSERT INTO
      "transactions" (
        "account_id",
        "transaction_id",
        "bank_account_id",
        "amount",
        "spending_id",
        "spending_amount",
        "refund_amount",
        "created_by_spending_id",
        "created_by_funding_schedule_id",
        "categories",
        "category",
        "date",
        "name",
        "original_name",
        "merchant_name",
        "original_merchant_name",
        "is_pending",
        "upload_identifier",
        "source",
        "created_at",
        "deleted_at",
        "notes",
        "tags",
        "adjusted_by_deletion",
        "unassigned_by_deletion",
        "field_marks"
      )
    SELECT
      new."account_id",
      new."transaction_id",
      new."bank_account_id",
      new."amount",
      new."spending_id",
      new."spending_amount",
      new."refund_amount",
      new."created_by_spending_id",
      new."created_by_funding_schedule_id",
      new."categories",
      new."category",
      new."date",
      new."name",
      new."original_name",
      new."merchant_name",
      new."original_merchant_name",
      new."is_pending",
      new."upload_identifier",
      new."source",
      new."created_at",
      new."deleted_at",
      new."notes",
      new."tags",
      new."adjusted_by_deletion",
      new."unassigned_by_deletion",
      new."field_marks"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"transactions", guard."inserted") AS new
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
  ),
  "saved_operations" AS (
    INSERT INTO
      "operations" (
        "account_id",
        "bank_account_id",
        "operation_id",
        "reply",
        "created_at"
      )
    SELECT
      new."account_id",
      new."bank_account_id",
      new."operation_id",
      new."reply",
      new."created_at"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"operations", guard."operations") AS new
  ),
  "saved_envelopes" AS (
    UPDATE "envelopes"
    SET
      "spending_type" = "new"."spending_type",
      "current_amount" = "new"."current_amount",
      "used_amount" = "new"."used_amount",
      "period_from" = "new"."period_from",
      "period_spent" = "new"."period_spent",
      "period_refunded" = "new"."period_refunded",
      "period_spent_on" = "new"."period_spent_on",
      "grace_until" = "new"."grace_until",
      "grace_unspent" = "new"."grace_unspent",
      "grace_missing" = "new"."grace_missing",
      "version" = "new"."version",
      "opened_at" = "new"."opened_at",
      "closed_at" = "new"."closed_at"
    FROM
      guard
      CROSS JOIN LATERAL (
        SELECT
          *
        FROM
          jsonb_populate_recordset(NULL::"envelopes", guard."envelopes") AS row
        WHERE
          row.account_id = guard.account_id
          AND row.bank_account_id = guard.bank_account_id
        OFFSET
          0
      ) AS new
    WHERE
      "envelopes"."account_id" = new."account_id"
      AND "envelopes"."bank_account_id" = new."bank_account_id"
      AND "envelopes"."spending_id" = new."spending_id"
  ),
  "saved_updated" AS (
    UPDATE "transactions"
    SET
      "amount" = "new"."amount",
      "spending_id" = "new"."spending_id",
      "spending_amount" = "new"."spending_amount",
      "refund_amount" = "new"."refund_amount",
      "created_by_spending_id" = "new"."created_by_spending_id",
      "created_by_funding_schedule_id" = "new"."created_by_funding_schedule_id",
      "categories" = "new"."categories",
      "category" = "new"."category",
      "date" = "new"."date",
      "name" = "new"."name",
      "original_name" = "new"."original_name",
      "merchant_name" = "new"."merchant_name",
      "original_merchant_name" = "new"."original_merchant_name",
      "is_pending" = "new"."is_pending",
      "upload_identifier" = "new"."upload_identifier",
      "source" = "new"."source",
      "created_at" = "new"."created_at",
      "deleted_at" = "new"."deleted_at",
      "notes" = "new"."notes",
      "tags" = "new"."tags",
      "adjusted_by_deletion" = "new"."adjusted_by_deletion",
      "unassigned_by_deletion" = "new"."unassigned_by_deletion",
      "field_marks" = "new"."field_marks"
    FROM
      guard
      CROSS JOIN LATERAL (
        SELECT
          *
        FROM
          jsonb_populate_recordset(NULL::"transactions", guard."updated") AS row
        WHERE
          row.account_id = guard.account_id
          AND row.bank_account_id = guard.bank_account_id
        OFFSET
          0
      ) AS new
    WHERE
      "transactions"."account_id" = new."account_id"
      AND "transactions"."bank_account_id" = new."bank_account_id"
      AND "transactions"."transaction_id" = new."transaction_id"
  ),
  "saved_deleted" AS (
    DELETE FROM "transactions" USING guard
    CROSS JOIN LATERAL (
      SELECT
        *
      FROM
        jsonb_populate_recordset(NULL::"transactions", guard."deleted") AS row
      WHERE
        row.account_id = guard.account_id
        AND row.bank_account_id = guard.bank_account_id
      OFFSET
        0
    ) AS new
    WHERE
      "transactions"."account_id" = new."account_id"
      AND "transactions"."bank_account_id" = new."bank_account_id"
      AND "transactions"."transaction_id" = new."transaction_id"
  ),
  "saved_records" AS (
    INSERT INTO
      "provider_transactions" (
        "account_id",
        "bank_account_id",
        "provider_transaction_id",
        "provider_account_id",
        "record_id",
        "transaction_id",
        "pending_provider_transaction_id",
        "amount",
        "currency",
        "date",
        "authorized_date",
        "name",
        "merchant_name",
        "categories",
        "category",
        "is_pending",
        "raw",
        "match_reason",
        "joined",
        "rejected_ids",
        "created_at",
        "deleted_at"
      )
    SELECT
      new."account_id",
      new."bank_account_id",
      new."provider_transaction_id",
      new."provider_account_id",
      new."record_id",
      new."transaction_id",
      new."pending_provider_transaction_id",
      new."amount",
      new."currency",
      new."date",
      new."authorized_date",
      new."name",
      new."merchant_name",
      new."categories",
      new."category",
      new."is_pending",
      new."raw",
      new."match_reason",
      new."joined",
      new."rejected_ids",
      new."created_at",
      new."deleted_at"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"provider_transactions", guard."records") AS new
    ON CONFLICT (
      account_id,
      bank_account_id,
      provider_transaction_id
    ) DO UPDATE
    SET
      "provider_account_id" = "excluded"."provider_account_id",
      "record_id" = "excluded"."record_id",
      "transaction_id" = "excluded"."transaction_id",
      "pending_provider_transaction_id" = "excluded"."pending_provider_transaction_id",
      "amount" = "excluded"."amount",
      "currency" = "excluded"."currency",
      "date" = "excluded"."date",
      "authorized_date" = "excluded"."authorized_date",
      "name" = "excluded"."name",
      "merchant_name" = "excluded"."merchant_name",
      "categories" = "excluded"."categories",
      "category" = "excluded"."category",
      "is_pending" = "excluded"."is_pending",
      "raw" = "excluded"."raw",
      "match_reason" = "excluded"."match_reason",
      "joined" = "excluded"."joined",
      "rejected_ids" = "excluded"."rejected_ids",
      "created_at" = "excluded"."created_at",
      "deleted_at" = "excluded"."deleted_at"
  ),
  "saved_accountRecords" AS (
    INSERT INTO
      "provider_accounts" (
        "account_id",
        "bank_account_id",
        "name",
        "official_name",
        "mask",
        "currency",
        "account_type",
        "account_sub_type",
        "available_balance",
        "current_balance",
        "limit_balance",
        "raw",
        "created_at",
        "created_by",
        "updated_at"
      )
    SELECT
      new."account_id",
      new."bank_account_id",
      new."name",
      new."official_name",
      new."mask",
      new."currency",
      new."account_type",
      new."account_sub_type",
      new."available_balance",
      new."current_balance",
      new."limit_balance",
      new."raw",
      new."created_at",
      new."created_by",
      new."updated_at"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"provider_accounts", guard."accountRecords") AS new
    ON CONFLICT (account_id, bank_account_id) DO UPDATE
    SET
      "name" = "excluded"."name",
      "official_name" = "excluded"."official_name",
      "mask" = "excluded"."mask",
      "currency" = "excluded"."currency",
      "account_type" = "excluded"."account_type",
      "account_sub_type" = "excluded"."account_sub_type",
      "available_balance" = "excluded"."available_balance",
      "current_balance" = "excluded"."current_balance",
      "limit_balance" = "excluded"."limit_balance",
      "raw" = "excluded"."raw",
      "created_at" = "excluded"."created_at",
      "created_by" = "excluded"."created_by",
      "updated_at" = "excluded"."updated_at"
  ),
  "saved_aliases" AS (
    INSERT INTO
      "provider_account_ids" (
        "account_id",
        "link_id",
        "provider_account_id",
        "bank_account_id",
        "is_current",
        "match_reason",
        "created_at"
      )
    SELECT
      new."account_id",
      new."link_id",
      new."provider_account_id",
      new."bank_account_id",
      new."is_current",
      new."match_reason",
      new."created_at"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"provider_account_ids", guard."aliases") AS new
    ON CONFLICT (account_id, link_id, provider_account_id) DO UPDATE
    SET
      bank_account_id = excluded.bank_account_id,
      is_current = excluded.is_current
  ),
  "saved_bulkOperations" AS (
    INSERT INTO
      "bulk_operations" (
        "account_id",
        "bank_account_id",
        "operation_id",
        "changes",
        "created_at",
        "created_by",
        "undone_at"
      )
    SELECT
      new."account_id",
      new."bank_account_id",
      new."operation_id",
      new."changes",
      new."created_at",
      new."created_by",
      new."undone_at"
    FROM
      guard
      CROSS JOIN LATERAL jsonb_populate_recordset(NULL::"bulk_operations", guard."bulkOperations") AS new
    ON CONFLICT (account_id, operation_id) DO UPDATE
    SET
      undone_at = excluded.undone_at
  ),
  "saved_closed" AS (
    UPDATE transactions
    SET
      spending_id = CASE
        WHEN spending_id = ANY (gone.ids) THEN NULL
        ELSE spending_id
      END,
      spending_amount = CASE
        WHEN spending_id = ANY (gone.ids) THEN NULL
        ELSE spending_amount
      END,
      refund_amount = CASE
        WHEN spending_id = ANY (gone.ids) THEN NULL
        ELSE refund_amount
      END,
      created_by_spending_id = CASE
        WHEN created_by_spending_id = ANY (gone.ids) THEN NULL
        ELSE created_by_spending_id
      END
    FROM
      (
        SELECT
          account_id,
          bank_account_id,
          "guard"."closed" AS ids,
          ARRAY(
            SELECT
              transaction_id
            FROM
              transactions
            WHERE
              transactions.account_id = guard.account_id
              AND transactions.bank_account_id = guard.bank_account_id
              AND "transactions"."spending_id" = ANY ("guard"."closed")
            UNION ALL
            SELECT
              transaction_id
            FROM
              transactions
            WHERE
              transactions.account_id = guard.account_id
              AND transactions.bank_account_id = guard.bank_account_id
              AND "transactions"."created_by_spending_id" = ANY ("guard"."closed")
          ) AS transaction_ids
        FROM
          guard
        LIMIT
          1
      ) AS gone
    WHERE
      transactions.account_id = gone.account_id
      AND transactions.bank_account_id = gone.bank_account_id
      AND transactions.transaction_id = ANY (gone.transaction_ids)
  ),
  "saved_forgotten" AS (
    UPDATE transactions
    SET
      created_by_funding_schedule_id = NULL
    FROM
      (
        SELECT
          account_id,
          bank_account_id,
          "guard"."forgotten" AS ids,
          ARRAY(
            SELECT
              transaction_id
            FROM
              transactions
            WHERE
              transactions.account_id = guard.account_id
              AND transactions.bank_account_id = guard.bank_account_id
              AND "transactions"."created_by_funding_schedule_id" = ANY ("guard"."forgotten")
          ) AS transaction_ids
        FROM
          guard
        LIMIT
          1
      ) AS gone
    WHERE
      transactions.account_id = gone.account_id
      AND transactions.bank_account_id = gone.bank_account_id
      AND transactions.transaction_id = ANY (gone.transaction_ids)
  )
UPDATE bank_accounts
SET
  "link_id" = "new"."link_id",
  "link_type" = "new"."link_type",
  "feed_bank_account_id" = "new"."feed_bank_account_id",
  "currency" = "new"."currency",
  "available_balance" = "new"."available_balance",
  "current_balance" = "new"."current_balance",
  "limit_balance" = "new"."limit_balance",
  "expenses" = "new"."expenses",
  "goals" = "new"."goals",
  "balances_as_of" = "new"."balances_as_of",
  "mask" = "new"."mask",
  "name" = "new"."name",
  "original_name" = "new"."original_name",
  "account_type" = "new"."account_type",
  "account_sub_type" = "new"."account_sub_type",
  "status" = "new"."status",
  "last_updated" = "new"."last_updated",
  "created_at" = "new"."created_at",
  "updated_at" = "new"."updated_at",
  "deleted_at" = "new"."deleted_at",
  "removed_at" = "new"."removed_at",
  "version" = "new"."version",
  unsearched_from = coalesce(
    bank_accounts.unsearched_from,
    new.unsearched_from
  )
FROM
  guard
  CROSS JOIN LATERAL (
    SELECT
      *
    FROM
      jsonb_populate_recordset(NULL::"bank_accounts", guard."bank_account") AS row
    WHERE
      row.account_id = guard.account_id
      AND row.bank_account_id = guard.bank_account_id
    OFFSET
      0
  ) AS new
WHERE
  "bank_accounts"."account_id" = new."account_id"
  AND "bank_accounts"."bank_account_id" = new."bank_account_id"
RETURNING
  bank_accounts.account_id AS "accountId",
  bank_accounts.bank_account_id AS "bankAccountId"
