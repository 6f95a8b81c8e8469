WITH
  matching AS MATERIALIZED (
    SELECT
      *
    FROM
      transactions
    WHERE
      ARRAY[account_id || '/' || bank_account_id] && ARRAY(
        SELECT
          owned.account_id || '/' || owned.bank_account_id
        FROM
          bank_accounts AS owned
        WHERE
          owned.account_id = $1
          AND owned.removed_at IS NULL
      )
      AND coalesce(
        searched_text,
        folded_transaction_text (
          "name",
          "original_name",
          "merchant_name",
          "original_merchant_name",
          "notes"
        )
      ) LIKE folded_pattern ($2)
      AND deleted_at IS NULL
  ),
  found AS MATERIALIZED (
    SELECT
      *
    FROM
      matching
    WHERE
      date >= $3::timestamptz
      AND (date, transaction_id) < ($4::timestamptz, $5::text)
      AND bank_account_id IN (
        SELECT
          owned.bank_account_id
        FROM
          bank_accounts AS owned
        WHERE
          owned.account_id = $1
          AND owned.removed_at IS NULL
      )
      AND is_pending
      AND abs(amount) = abs($6::bigint)
      AND amount >= $7::bigint
      AND amount <= $8::bigint
      AND source = $9
      AND tags IS NOT NULL
      AND EXISTS (
        SELECT
        FROM
          unnest(tags) AS tag
        WHERE
          folded_text (tag) = folded_text ($10)
      )
      AND coalesce(
        searched_text,
        folded_transaction_text (
          "name",
          "original_name",
          "merchant_name",
          "original_merchant_name",
          "notes"
        )
      ) LIKE folded_pattern ($2)
    LIMIT
      $11::int
  )
SELECT
  "transactions"."account_id" AS "accountId",
  "transactions"."transaction_id" AS "transactionId",
  "transactions"."bank_account_id" AS "bankAccountId",
  "transactions"."amount" AS "amount",
  "transactions"."spending_id" AS "spendingId",
  "transactions"."spending_amount" AS "spendingAmount",
  "transactions"."refund_amount" AS "refundAmount",
  "transactions"."created_by_spending_id" AS "createdBySpendingId",
  "transactions"."created_by_funding_schedule_id" AS "createdByFundingScheduleId",
  "transactions"."categories" AS "categories",
  "transactions"."category" AS "category",
  "transactions"."date" AS "date",
  "transactions"."name" AS "name",
  "transactions"."original_name" AS "originalName",
  "transactions"."merchant_name" AS "merchantName",
  "transactions"."original_merchant_name" AS "originalMerchantName",
  "transactions"."is_pending" AS "isPending",
  "transactions"."upload_identifier" AS "uploadIdentifier",
  "transactions"."source" AS "source",
  "transactions"."created_at" AS "createdAt",
  "transactions"."deleted_at" AS "deletedAt",
  "transactions"."notes" AS "notes",
  "transactions"."tags" AS "tags",
  "transactions"."adjusted_by_deletion" AS "adjustedByDeletion",
  "transactions"."unassigned_by_deletion" AS "unassignedByDeletion",
  "transactions"."field_marks" AS "fieldMarks",
  (
    SELECT
      count(*)
    FROM
      found
  ) AS found
FROM
  found AS transactions
ORDER BY
  date DESC,
  transaction_id DESC
LIMIT
  $12::int
