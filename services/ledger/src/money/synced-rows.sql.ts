import { inScope } from '@coffer/kit/database/guarded-read'
import { type FragmentSqlToken, sql } from 'slonik'

/**
 * Returns a SELECT of the transactions of provider records. LATERAL: one index search for each
 * entry of a list of the scope, where `= ANY(list)` may read all records of a bank account.
 */
function searchRecords(list: string, where: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    SELECT one.transaction_id FROM unnest(${sql.identifier(['scope', list])}) AS entry
    CROSS JOIN LATERAL (
      SELECT transaction_id FROM provider_transactions AS one
      WHERE ${inScope} AND ${where} OFFSET 0
    ) AS one`
}

/**
 * Transactions that a batch names or may match. The LIMIT of 5,000 is a safeguard: the at most 500
 * rows of a batch match fewer transactions.
 */
export const syncedTransactions = sql.fragment`
  SELECT scope.account_id, scope.bank_account_id, found.transaction_id
  FROM scope CROSS JOIN LATERAL (
    ${searchRecords('provider_ids', sql.fragment`provider_transaction_id = entry`)}
    UNION
    ${searchRecords('provider_ids', sql.fragment`pending_provider_transaction_id = entry`)}
    UNION (
      ${searchRecords(
        'amounts',
        sql.fragment`amount = entry AND date BETWEEN scope.alike_from AND scope.alike_to
          AND (is_pending OR provider_account_id <> scope.alike_except)`,
      )}
      LIMIT 5000
    )
  ) AS found`

/** Posted transactions, soft-deleted ones too, that pending rows of a feed may match. */
export const postedTransactions = sql.fragment`
  SELECT DISTINCT scope.account_id, scope.bank_account_id, found.transaction_id
  FROM scope CROSS JOIN LATERAL (
    ${searchRecords(
      'posted_amounts',
      sql.fragment`amount = entry AND date BETWEEN scope.posted_from AND scope.posted_to
        AND NOT is_pending`,
    )}
    LIMIT 5000
  ) AS found`

/** Returns pending transactions of the days, live or removed: each has a partial index by date. */
function pendingOfDays(isDeleted: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
      SELECT transaction_id, date, amount FROM transactions AS one
      WHERE ${inScope} AND is_pending AND ${isDeleted} AND source IN ('aggregator', 'feed')
        AND date BETWEEN days.first AND days.last
      LIMIT 5000)`
}

/**
 * Pending transactions of the days in `tips`, and posted transactions that may be these with a tip
 * (docs/syncs.md#tips-and-holds). For a removal, the days are those of the pending transactions to
 * remove. 1,000 is the largest hold in minor units: 1.00 with three decimal places (`isTipOf` in
 * syncs/tip-pairs.ts). ORDER BY matches the index by date, because without statistics the planner
 * would read the whole bank account by its primary key.
 */
export const tipTransactions = sql.fragment`
  SELECT DISTINCT scope.account_id, scope.bank_account_id, found.transaction_id
  FROM scope CROSS JOIN LATERAL (
    SELECT coalesce(scope.tips_from, min(one.date) - interval '12 days') AS first,
      coalesce(scope.tips_to, max(one.date) + interval '12 days') AS last
    FROM unnest(scope.provider_ids) AS entry CROSS JOIN LATERAL (
      SELECT date FROM provider_transactions AS one
      WHERE ${inScope} AND provider_transaction_id = entry AND is_pending AND deleted_at IS NULL
        AND scope.tips_from IS NULL OFFSET 0
    ) AS one
  ) AS days CROSS JOIN LATERAL (
    ${pendingOfDays(sql.fragment`deleted_at IS NULL`)}
    UNION ALL ${pendingOfDays(sql.fragment`deleted_at IS NOT NULL`)}
  ) AS pending CROSS JOIN LATERAL (
    SELECT pending.transaction_id UNION ALL (
      SELECT transaction_id FROM transactions AS one
      WHERE ${inScope} AND NOT is_pending AND deleted_at IS NULL
        AND date BETWEEN pending.date - interval '2 days' AND pending.date + interval '11 days'
        AND CASE WHEN pending.amount BETWEEN 0 AND 1000 THEN amount > pending.amount
          ELSE abs(amount) * 10 <= abs(pending.amount) * 13
            AND abs(amount) > abs(pending.amount) END
      ORDER BY date DESC, transaction_id DESC LIMIT 5000)
  ) AS found`
