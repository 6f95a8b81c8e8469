import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const Finding = z.object({ accountId: z.string(), rule: z.string(), detail: z.string() })

/** A violation that the audit found: the account, the broken rule and the differing figures. */
export type Finding = z.infer<typeof Finding>

const findingsMax = 100

// Excludes bank accounts of deleted links: their rows are deleted in batches, so sums differ.
const live = sql.fragment`removed_at IS NULL`

/** Maps each rule to the query for its violations. A query reads one snapshot. */
const rules: Record<string, FragmentSqlToken> = {
  'a balance equals its journal': sql.fragment`
    SELECT account_id, format('%s: %s is %s, booked %s', bank_account_id, pot, held,
      coalesce(booked, 0)) AS detail
    FROM bank_accounts CROSS JOIN LATERAL (VALUES ('available', available_balance),
        ('current', current_balance), ('limit', limit_balance)) AS pots (pot, held)
      LEFT JOIN (
        SELECT account_id, bank_account_id, pot, sum(delta) AS booked FROM journal
        WHERE spending_id IS NULL GROUP BY 1, 2, 3
      ) AS books USING (account_id, bank_account_id, pot)
    WHERE ${live} AND held <> coalesce(booked, 0)`,

  'an envelope equals its journal': sql.fragment`
    SELECT account_id, format('%s: %s is %s, booked %s', spending_id, pot, held,
      coalesce(booked, 0)) AS detail
    FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
      CROSS JOIN LATERAL (VALUES ('envelope', current_amount), ('used', used_amount))
        AS pots (pot, held)
      LEFT JOIN (
        SELECT account_id, bank_account_id, spending_id, pot, sum(delta) AS booked FROM journal
        WHERE spending_id IS NOT NULL GROUP BY 1, 2, 3, 4
      ) AS books USING (account_id, bank_account_id, spending_id, pot)
    WHERE ${live} AND held <> coalesce(booked, 0)`,

  'every row of the journal follows from the one before': sql.fragment`
    SELECT account_id, format('%s %s %s: entry %s says %s after %s and %s', bank_account_id,
      spending_id, pot, entry_id, amount, before, delta) AS detail
    FROM (
      SELECT journal.*, lag(amount, 1, 0::bigint::money_amount)
        OVER (PARTITION BY account_id, bank_account_id, spending_id, pot ORDER BY entry_id)
        AS before
      FROM journal JOIN bank_accounts USING (account_id, bank_account_id) WHERE ${live}
    ) AS steps
    WHERE amount <> before + delta`,

  'an envelope in a grace names its period': sql.fragment`
    SELECT account_id, format('%s: until %s, unspent %s, missing %s', spending_id, grace_until,
      grace_unspent, grace_missing) AS detail
    FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
    WHERE ${live} AND (grace_missing < 0
      OR (grace_until IS NULL AND (grace_unspent <> 0 OR grace_missing > 0)))`,

  'the totals are the sums over the open envelopes': sql.fragment`
    SELECT account_id, format('%s: expenses %s of %s, goals %s of %s', bank_account_id, expenses,
      coalesce(in_expenses, 0), goals, coalesce(in_goals, 0)) AS detail
    FROM bank_accounts LEFT JOIN (
      SELECT account_id, bank_account_id,
        sum(current_amount) FILTER (WHERE spending_type = 'expense') AS in_expenses,
        sum(current_amount) FILTER (WHERE spending_type = 'goal') AS in_goals
      FROM envelopes WHERE closed_at IS NULL GROUP BY 1, 2
    ) AS sums USING (account_id, bank_account_id)
    WHERE ${live} AND (expenses <> coalesce(in_expenses, 0) OR goals <> coalesce(in_goals, 0))`,

  'what an envelope gave is what its transactions say': sql.fragment`
    SELECT account_id, format('%s: gave %s, transactions say %s', spending_id,
      coalesce(gave, 0), coalesce(spent, 0)) AS detail
    FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
      LEFT JOIN (
        SELECT account_id, bank_account_id, spending_id, -sum(delta) AS gave FROM journal
        WHERE pot = 'envelope' AND cause IN ('transaction', 'deletion', 'undo', 'refund')
        GROUP BY 1, 2, 3
      ) AS books USING (account_id, bank_account_id, spending_id)
      LEFT JOIN (
        SELECT account_id, bank_account_id, spending_id,
          sum(spending_amount - coalesce(refund_amount, 0)) AS spent
        FROM transactions WHERE spending_id IS NOT NULL AND deleted_at IS NULL GROUP BY 1, 2, 3
      ) AS assigned USING (account_id, bank_account_id, spending_id)
    WHERE ${live} AND closed_at IS NULL AND coalesce(gave, 0) <> coalesce(spent, 0)`,

  'a synced transaction is what its provider says': sql.fragment`
    SELECT account_id, format('%s: amount is %s, the provider says %s', transaction_id, amount,
      said) AS detail
    FROM bank_accounts JOIN transactions USING (account_id, bank_account_id)
      LEFT JOIN (
        SELECT account_id, bank_account_id, transaction_id, amount AS said
        FROM provider_transactions WHERE deleted_at IS NULL
      ) AS records USING (account_id, bank_account_id, transaction_id)
    WHERE ${live} AND link_type IN ('aggregator', 'feed') AND source = link_type
      AND CASE WHEN transactions.deleted_at IS NULL THEN amount END IS DISTINCT FROM said`,
}

/** Checks the money of all accounts (docs/money.md#audit); returns up to 100 findings per rule. */
export async function auditLedger({ pool }: Database): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [rule, broken] of Object.entries(rules)) {
    const found = await pool.any(sql.type(Finding)`
      SELECT account_id AS "accountId", ${rule} AS rule, detail FROM (${broken}) AS broken
      ORDER BY account_id, detail LIMIT ${findingsMax}`)
    findings.push(...found)
  }
  return findings
}
