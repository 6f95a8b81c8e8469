WITH
  scope AS MATERIALIZED (
    SELECT
      *
    FROM
      jsonb_to_recordset($1::jsonb) AS scope (
        account_id text,
        bank_account_id text,
        "spending_ids" text[],
        "transaction_ids" text[],
        "operation_ids" text[],
        "refund_ids" text[],
        provider_ids text[],
        amounts bigint[],
        alike_from timestamptz,
        alike_to timestamptz,
        alike_except text,
        posted_amounts bigint[],
        posted_from timestamptz,
        posted_to timestamptz,
        tips_from timestamptz,
        tips_to timestamptz
      )
  ),
  named AS MATERIALIZED (
    SELECT
      scope.account_id,
      scope.bank_account_id,
      transaction_id
    FROM
      scope
      CROSS JOIN LATERAL unnest(scope.transaction_ids) AS transaction_id
    UNION
    SELECT
      scope.account_id,
      scope.bank_account_id,
      found.transaction_id
    FROM
      scope
      CROSS JOIN LATERAL (
        SELECT
          one.transaction_id
        FROM
          unnest("scope"."provider_ids") AS entry
          CROSS JOIN LATERAL (
            SELECT
              transaction_id
            FROM
              provider_transactions AS one
            WHERE
              one.account_id = scope.account_id
              AND one.bank_account_id = scope.bank_account_id
              AND provider_transaction_id = entry
            OFFSET
              0
          ) AS one
        UNION
        SELECT
          one.transaction_id
        FROM
          unnest("scope"."provider_ids") AS entry
          CROSS JOIN LATERAL (
            SELECT
              transaction_id
            FROM
              provider_transactions AS one
            WHERE
              one.account_id = scope.account_id
              AND one.bank_account_id = scope.bank_account_id
              AND pending_provider_transaction_id = entry
            OFFSET
              0
          ) AS one
        UNION
        (
          SELECT
            one.transaction_id
          FROM
            unnest("scope"."amounts") AS entry
            CROSS JOIN LATERAL (
              SELECT
                transaction_id
              FROM
                provider_transactions AS one
              WHERE
                one.account_id = scope.account_id
                AND one.bank_account_id = scope.bank_account_id
                AND amount = entry
                AND date BETWEEN scope.alike_from AND scope.alike_to
                AND (
                  is_pending
                  OR provider_account_id <> scope.alike_except
                )
              OFFSET
                0
            ) AS one
          LIMIT
            5000
        )
      ) AS found
    UNION
    SELECT DISTINCT
      scope.account_id,
      scope.bank_account_id,
      found.transaction_id
    FROM
      scope
      CROSS JOIN LATERAL (
        SELECT
          one.transaction_id
        FROM
          unnest("scope"."posted_amounts") AS entry
          CROSS JOIN LATERAL (
            SELECT
              transaction_id
            FROM
              provider_transactions AS one
            WHERE
              one.account_id = scope.account_id
              AND one.bank_account_id = scope.bank_account_id
              AND amount = entry
              AND date BETWEEN scope.posted_from AND scope.posted_to
              AND NOT is_pending
            OFFSET
              0
          ) AS one
        LIMIT
          5000
      ) AS found
    UNION
    SELECT DISTINCT
      scope.account_id,
      scope.bank_account_id,
      found.transaction_id
    FROM
      scope
      CROSS JOIN LATERAL (
        SELECT
          coalesce(
            scope.tips_from,
            min(one.date) - interval '12 days'
          ) AS first,
          coalesce(scope.tips_to, max(one.date) + interval '12 days') AS last
        FROM
          unnest(scope.provider_ids) AS entry
          CROSS JOIN LATERAL (
            SELECT
              date
            FROM
              provider_transactions AS one
            WHERE
              one.account_id = scope.account_id
              AND one.bank_account_id = scope.bank_account_id
              AND provider_transaction_id = entry
              AND is_pending
              AND deleted_at IS NULL
              AND scope.tips_from IS NULL
            OFFSET
              0
          ) AS one
      ) AS days
      CROSS JOIN LATERAL (
        (
          SELECT
            transaction_id,
            date,
            amount
          FROM
            transactions AS one
          WHERE
            one.account_id = scope.account_id
            AND one.bank_account_id = scope.bank_account_id
            AND is_pending
            AND deleted_at IS NULL
            AND source IN ('aggregator', 'feed')
            AND date BETWEEN days.first AND days.last
          LIMIT
            5000
        )
        UNION ALL
        (
          SELECT
            transaction_id,
            date,
            amount
          FROM
            transactions AS one
          WHERE
            one.account_id = scope.account_id
            AND one.bank_account_id = scope.bank_account_id
            AND is_pending
            AND deleted_at IS NOT NULL
            AND source IN ('aggregator', 'feed')
            AND date BETWEEN days.first AND days.last
          LIMIT
            5000
        )
      ) AS pending
      CROSS JOIN LATERAL (
        SELECT
          pending.transaction_id
        UNION ALL
        (
          SELECT
            transaction_id
          FROM
            transactions AS one
          WHERE
            one.account_id = scope.account_id
            AND one.bank_account_id = scope.bank_account_id
            AND NOT is_pending
            AND deleted_at IS NULL
            AND date BETWEEN pending.date - interval '2 days' AND pending.date + interval '11 days'
            AND CASE
              WHEN pending.amount BETWEEN 0 AND 1000 THEN amount > pending.amount
              ELSE abs(amount) * 10 <= abs(pending.amount) * 13
              AND abs(amount) > abs(pending.amount)
            END
          ORDER BY
            date DESC,
            transaction_id DESC
          LIMIT
            5000
        )
      ) AS found
  )
SELECT
  'bankAccount' AS kind,
  found.record
FROM
  "scope"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "bank_accounts" AS one
    WHERE
      one.account_id = "scope".account_id
      AND one.bank_account_id = "scope".bank_account_id
      AND one.removed_at IS NULL
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'envelope' AS kind,
  found.record
FROM
  "scope"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "envelopes" AS one
    WHERE
      one.account_id = "scope".account_id
      AND one.bank_account_id = "scope".bank_account_id
      AND one.spending_id = ANY (scope.spending_ids)
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'transaction' AS kind,
  found.record
FROM
  "named"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "transactions" AS one
    WHERE
      one.account_id = "named".account_id
      AND one.bank_account_id = "named".bank_account_id
      AND one.transaction_id = named.transaction_id
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'envelope' AS kind,
  found.record
FROM
  "named"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "envelopes" AS one
    WHERE
      one.account_id = "named".account_id
      AND one.bank_account_id = "named".bank_account_id
      AND one.spending_id = (
        SELECT
          coalesce(spending_id, unassigned_by_deletion)
        FROM
          transactions
        WHERE
          transactions.account_id = named.account_id
          AND transactions.bank_account_id = named.bank_account_id
          AND transactions.transaction_id = named.transaction_id
      )
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'record' AS kind,
  found.record
FROM
  "named"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "provider_transactions" AS one
    WHERE
      one.account_id = "named".account_id
      AND one.bank_account_id = "named".bank_account_id
      AND one.transaction_id = named.transaction_id
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'operation' AS kind,
  found.record
FROM
  "scope"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "operations" AS one
    WHERE
      one.account_id = "scope".account_id
      AND one.bank_account_id = "scope".bank_account_id
      AND one.operation_id = ANY (scope.operation_ids)
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'refundable',
  json_build_object(
    'account_id',
    owner.account_id,
    'bank_account_id',
    owner.bank_account_id,
    'spending_id',
    owner.spending_id,
    'amount',
    (
      SELECT
        (- coalesce(sum(delta), 0))::text
      FROM
        journal AS one
      WHERE
        one.account_id = owner.account_id
        AND one.bank_account_id = owner.bank_account_id
        AND one.spending_id = owner.spending_id
        AND one.pot = 'envelope'
        AND one.cause IN (
          'transaction',
          'deletion',
          'kept',
          'undo',
          'refund'
        )
    )
  )
FROM
  (
    SELECT
      scope.account_id,
      scope.bank_account_id,
      spending_id
    FROM
      scope
      CROSS JOIN LATERAL unnest(scope.refund_ids) AS spending_id
  ) AS owner
UNION ALL
SELECT
  'refundable',
  json_build_object(
    'account_id',
    owner.account_id,
    'bank_account_id',
    owner.bank_account_id,
    'spending_id',
    owner.spending_id,
    'amount',
    (
      SELECT
        (- coalesce(sum(delta), 0))::text
      FROM
        journal AS one
      WHERE
        one.account_id = owner.account_id
        AND one.bank_account_id = owner.bank_account_id
        AND one.spending_id = owner.spending_id
        AND one.pot = 'envelope'
        AND one.cause IN (
          'transaction',
          'deletion',
          'kept',
          'undo',
          'refund'
        )
    )
  )
FROM
  (
    SELECT DISTINCT
      one.account_id,
      one.bank_account_id,
      coalesce(one.spending_id, one.unassigned_by_deletion) AS spending_id
    FROM
      named
      CROSS JOIN LATERAL (
        SELECT
          *
        FROM
          transactions AS one
        WHERE
          one.account_id = named.account_id
          AND one.bank_account_id = named.bank_account_id
          AND one.transaction_id = named.transaction_id
        OFFSET
          0
      ) AS one
    WHERE
      one.amount < 0
      AND coalesce(one.spending_id, one.unassigned_by_deletion) IS NOT NULL
  ) AS owner
UNION ALL
SELECT
  'accountRecord' AS kind,
  found.record
FROM
  "scope"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "provider_accounts" AS one
    WHERE
      one.account_id = "scope".account_id
      AND one.bank_account_id = "scope".bank_account_id
      AND true
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'alias' AS kind,
  found.record
FROM
  "scope"
  CROSS JOIN LATERAL (
    SELECT
      to_json(one) AS record
    FROM
      "provider_account_ids" AS one
    WHERE
      one.account_id = "scope".account_id
      AND one.bank_account_id = "scope".bank_account_id
      AND true
    OFFSET
      0
  ) AS found
UNION ALL
SELECT
  'openEnvelopes',
  json_build_object(
    'account_id',
    scope.account_id,
    'bank_account_id',
    scope.bank_account_id,
    'count',
    (
      SELECT
        count(*)
      FROM
        envelopes AS one
      WHERE
        one.account_id = scope.account_id
        AND one.bank_account_id = scope.bank_account_id
        AND closed_at IS NULL
    )
  )
FROM
  scope
