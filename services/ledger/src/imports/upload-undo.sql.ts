import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { isUpload } from './upload.sql.ts'
import type { UploadKey } from './upload.ts'
import { TakenBack } from './upload-undo.ts'

/** Marks a complete upload as undone; returns false where it is undone already, or not complete. */
export async function markUndone(tx: Tx, key: UploadKey, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE uploads SET undone_at = ${now.toISOString()}
    WHERE ${isUpload(key)} AND status = 'complete' AND undone_at IS NULL`)
  return rowCount > 0
}

/**
 * Returns the changes of a bank account's balances once uploads are undone
 * (docs/files.md#undoing). A balance is its last statement plus later entries. The opening, an
 * edit by hand and a standing upload are statements. Entries of undone uploads after that
 * statement are reversed, less earlier reversals. Entries before the statement have no effect any
 * more.
 */
export function sumTakenBack(tx: Tx, { accountId, bankAccountId }: UploadKey): Promise<TakenBack> {
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
