import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { type BalanceInstants, LaterBookings } from './file-import.ts'
import { TakenBack } from './upload-undo.ts'

/**
 * Returns the changes of a bank account's balances when uploads are undone (docs/files.md#undoing).
 * A balance is its last statement plus later entries. Statements are the opening, an edit by hand,
 * and an upload that is not undone. Entries of undone uploads after the last statement are
 * reversed, minus earlier reversals. Entries before the last statement have no effect.
 */
export function sumTakenBack(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<TakenBack> {
  return tx.one(sql.type(TakenBack)`
    WITH stated AS MATERIALIZED (
      SELECT pot, entry_id, delta, journal.created_at, balances_as_of, cause,
        cause IN ('opening', 'manual-edit') OR cause = 'upload' AND undone_at IS NULL AS stands
      FROM journal LEFT JOIN uploads ON uploads.account_id = journal.account_id
        AND uploads.bank_account_id = journal.bank_account_id
        AND transaction_upload_id = cause_id
      WHERE journal.account_id = ${accountId} AND journal.bank_account_id = ${bankAccountId}
        AND spending_id IS NULL AND cause IN ('opening', 'manual-edit', 'upload', 'undo')
    ), void AS (
      SELECT pot, -delta AS delta FROM stated
      WHERE NOT stands AND entry_id > coalesce(
        (SELECT max(entry_id) FROM stated AS last WHERE last.pot = stated.pot AND stands), 0)
    )
    SELECT coalesce(sum(delta) FILTER (WHERE pot = 'available'), 0)::bigint AS available,
      coalesce(sum(delta) FILTER (WHERE pot = 'current'), 0)::bigint AS current,
      coalesce(sum(delta) FILTER (WHERE pot = 'limit'), 0)::bigint AS "limit",
      (SELECT max(CASE cause WHEN 'manual-edit' THEN created_at ELSE balances_as_of END)
       FROM stated WHERE stands) AS "asOf"
    FROM void`)
}

/**
 * For each balance, sums the changes by transactions dated after its instant
 * (docs/files.md#balances), in minor units. A stored transaction counts by its current date, a
 * removed one by the date in the journal. Requires the row lock of the bank account; reads its
 * journal once. OFFSET 0 keeps each look-up a primary-key search: rows inserted in this transaction
 * are in no statistics, so a join might scan them all for each entry.
 */
export function sumLaterBookings(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
  { asOf, availableAsOf }: BalanceInstants,
): Promise<LaterBookings> {
  return tx.one(sql.type(LaterBookings)`
    SELECT coalesce(sum(delta) FILTER (WHERE pot = 'available'), 0)::bigint AS available,
      coalesce(sum(delta) FILTER (WHERE pot = 'current'), 0)::bigint AS current
    FROM journal LEFT JOIN LATERAL (
      SELECT date FROM transactions
      WHERE transactions.account_id = journal.account_id
        AND transactions.bank_account_id = journal.bank_account_id AND transaction_id = cause_id
      OFFSET 0
    ) AS booked ON true
    WHERE journal.account_id = ${accountId} AND journal.bank_account_id = ${bankAccountId}
      AND journal.spending_id IS NULL AND cause IN ('transaction', 'deletion')
      AND coalesce(booked.date, journal.date) > CASE pot
        WHEN 'available' THEN ${availableAsOf.toISOString()}::timestamptz
        ELSE ${asOf.toISOString()}::timestamptz END`)
}
