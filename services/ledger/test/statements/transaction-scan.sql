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
  owner.version AS "accountVersion"
FROM
  (
    SELECT
      bank_accounts.version
    FROM
      bank_accounts
      JOIN envelopes USING (account_id, bank_account_id)
    WHERE
      account_id = $1
      AND bank_account_id = $2
      AND removed_at IS NULL
      AND spending_id = $3
      AND closed_at IS NULL
  ) AS owner
  LEFT JOIN LATERAL (
    SELECT
      *
    FROM
      (
        SELECT
          *
        FROM
          transactions
        WHERE
          account_id = $1
          AND bank_account_id = $2
          AND deleted_at IS NULL
          AND date >= $4::timestamptz
          AND (date, transaction_id) < ($5::timestamptz, $6::text)
          AND spending_id = $3
        ORDER BY
          date DESC,
          transaction_id DESC
        LIMIT
          $7::int
      ) AS scanned
    WHERE
      is_pending
      AND abs(amount) = abs($8::bigint)
      AND amount >= $9::bigint
      AND amount <= $10::bigint
      AND source = $11
      AND tags IS NOT NULL
      AND EXISTS (
        SELECT
        FROM
          unnest(tags) AS tag
        WHERE
          folded_text (tag) = folded_text ($12)
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
      ) LIKE folded_pattern ($13)
    ORDER BY
      date DESC,
      transaction_id DESC
    LIMIT
      $14::int
  ) AS transactions ON true
ORDER BY
  transactions.date DESC,
  transactions.transaction_id DESC
