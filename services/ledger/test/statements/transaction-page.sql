SELECT
  "page"."account_id" AS "accountId",
  "page"."transaction_id" AS "transactionId",
  "page"."bank_account_id" AS "bankAccountId",
  "page"."amount" AS "amount",
  "page"."spending_id" AS "spendingId",
  "page"."spending_amount" AS "spendingAmount",
  "page"."refund_amount" AS "refundAmount",
  "page"."created_by_spending_id" AS "createdBySpendingId",
  "page"."created_by_funding_schedule_id" AS "createdByFundingScheduleId",
  "page"."categories" AS "categories",
  "page"."category" AS "category",
  "page"."date" AS "date",
  "page"."name" AS "name",
  "page"."original_name" AS "originalName",
  "page"."merchant_name" AS "merchantName",
  "page"."original_merchant_name" AS "originalMerchantName",
  "page"."is_pending" AS "isPending",
  "page"."upload_identifier" AS "uploadIdentifier",
  "page"."source" AS "source",
  "page"."created_at" AS "createdAt",
  "page"."deleted_at" AS "deletedAt",
  "page"."notes" AS "notes",
  "page"."tags" AS "tags",
  "page"."adjusted_by_deletion" AS "adjustedByDeletion",
  "page"."unassigned_by_deletion" AS "unassignedByDeletion",
  "page"."field_marks" AS "fieldMarks",
  owner.version AS "accountVersion"
FROM
  bank_accounts AS owner
  LEFT JOIN (
    SELECT
      *
    FROM
      transactions
    WHERE
      account_id = $1
      AND bank_account_id = $2
      AND deleted_at IS NULL
    ORDER BY
      date DESC,
      transaction_id DESC
    LIMIT
      $3::int
    OFFSET
      $4::int
  ) AS page ON true
WHERE
  owner.account_id = $1
  AND owner.bank_account_id = $2
  AND owner.removed_at IS NULL
ORDER BY
  page.date DESC,
  page.transaction_id DESC
