import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import { type BalanceInstants, LaterBookings } from '../file-import.ts'
import { TakenBack } from './upload-undo.ts'

/**
 * Returns the deltas in minor units that restore a bank account's balances after undos
 * (docs/files.md#undoing). They reverse the journal entries of undone uploads, and of their undos,
 * after the last valid value of a balance: from the bank account's creation, a manual edit, or an
 * upload that is not undone.
 */
export function sumTakenBack(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<TakenBack> {
  return tx.one(sql.type(TakenBack)`
    WITH stated AS MATERIALIZED (
      SELECT pot, entry_id, delta,
        CASE cause WHEN 'manual-edit' THEN journal.created_at WHEN 'opening' THEN journal.date
          ELSE balances_as_of END AS as_of,
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
      (SELECT max(as_of) FROM stated WHERE stands) AS "asOf"
    FROM void`)
}

const StatedSince = z.object({ available: z.boolean(), current: z.boolean() })

/**
 * Returns for each balance whether a valid value was stated after these operations: by the bank
 * account's creation, a manual edit, or an upload that is not undone.
 */
export function findStatedSince(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
  operationIds: readonly string[],
): Promise<z.infer<typeof StatedSince>> {
  return tx.one(sql.type(StatedSince)`
    SELECT coalesce(bool_or(pot = 'available'), false) AS available,
      coalesce(bool_or(pot = 'current'), false) AS current
    FROM journal LEFT JOIN uploads ON uploads.account_id = journal.account_id
      AND uploads.bank_account_id = journal.bank_account_id
      AND transaction_upload_id = cause_id
    WHERE journal.account_id = ${accountId} AND journal.bank_account_id = ${bankAccountId}
      AND spending_id IS NULL AND cause IN ('opening', 'manual-edit', 'upload')
      AND (cause <> 'upload' OR undone_at IS NULL)
      AND entry_id > (
        SELECT max(entry_id) FROM journal AS own
        WHERE own.account_id = ${accountId} AND own.bank_account_id = ${bankAccountId}
          AND own.operation_id = ANY(${sql.array(operationIds, 'text')}))`)
}

/**
 * Returns the sums of journal entries whose transactions are dated after the instant of the file's
 * balance, in minor units (docs/files.md#balances). Joined transactions count with the row's day,
 * which decides whether the bank's balance includes them. Requires the bank account's row lock.
 * OFFSET 0 forces a primary-key search for each entry: Postgres has no statistics about the rows
 * inserted in this database transaction, so it might scan them all each time.
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
      SELECT coalesce((
        SELECT min(joined.date) FROM joined_rows AS joined
        WHERE joined.account_id = journal.account_id
          AND joined.bank_account_id = journal.bank_account_id
          AND joined.transaction_id = cause_id
      ), date) AS date FROM transactions
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
