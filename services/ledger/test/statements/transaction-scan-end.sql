SELECT
  date,
  transaction_id AS "transactionId"
FROM
  transactions
WHERE
  account_id = $1
  AND bank_account_id = $2
  AND deleted_at IS NULL
  AND date >= $3::timestamptz
  AND (date, transaction_id) < ($4::timestamptz, $5::text)
  AND spending_id = $6
ORDER BY
  date DESC,
  transaction_id DESC
OFFSET
  $7::int - 1
LIMIT
  1
