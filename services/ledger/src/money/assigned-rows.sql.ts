import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Envelope } from '../book/envelope.ts'
import { decidedMarks } from '../book/field-marks.sql.ts'

/** Rows per statement: one statement for 100,000 rows would exceed the statement timeout. */
const pageSize = 2_000

const Cleared = z.object({ transactionId: z.string(), isLive: z.boolean() })

/**
 * Unassigns all transactions of an envelope, soft-deleted ones too, and marks that the user has
 * decided so: an envelope has paid them, so none waits for the choice of another. It runs before
 * the bank account is locked, to keep the lock short; the save that closes the envelope unassigns
 * transactions that were assigned in between. The outer condition on `spending_id` skips rows that
 * changed during a lock wait. Returns the IDs of live ones.
 */
export async function unassignAll(
  tx: Tx,
  {
    accountId,
    bankAccountId,
    spendingId,
  }: Pick<Envelope, 'accountId' | 'bankAccountId' | 'spendingId'>,
): Promise<string[]> {
  const live: string[] = []
  for (;;) {
    const cleared = await tx.any(sql.type(Cleared)`
      UPDATE transactions SET spending_id = NULL, spending_amount = NULL, refund_amount = NULL,
        field_marks = ${decidedMarks}
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND spending_id = ${spendingId} AND transaction_id = ANY(ARRAY(
          SELECT transaction_id FROM transactions
          WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
            AND spending_id = ${spendingId}
          LIMIT ${pageSize}))
      RETURNING transaction_id AS "transactionId", deleted_at IS NULL AS "isLive"`)
    if (cleared.length === 0) return live
    live.push(...cleared.flatMap((one) => (one.isLive ? one.transactionId : [])))
  }
}

/**
 * Stores the last name of an envelope before the save that closes it. Requires the lock of the bank
 * account.
 */
export async function keepName(
  tx: Tx,
  { accountId, bankAccountId, spendingId }: BankAccountKey & Pick<Envelope, 'spendingId'>,
  name: string,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE envelopes SET closed_name = ${name}
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND spending_id = ${spendingId} AND closed_at IS NULL`)
}

type Reference = { spendingId: string } | { fundingScheduleId: string }

/**
 * Returns the IDs of live transactions that an envelope or a funding schedule created. The save
 * that closes the envelope, or deletes the schedule, sets these references to NULL. Requires the
 * lock of the bank account.
 */
export function listCreatedBy(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
  by: Reference,
): Promise<readonly string[]> {
  const isCreated =
    'spendingId' in by
      ? sql.fragment`created_by_spending_id = ${by.spendingId}`
      : sql.fragment`created_by_funding_schedule_id = ${by.fundingScheduleId}`
  return tx.anyFirst(sql.type(Cleared.pick({ transactionId: true }))`
    SELECT transaction_id AS "transactionId" FROM transactions
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND ${isCreated}
      AND deleted_at IS NULL`)
}
