import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import type { BankAccount } from '../accounts/bank-account.ts'
import { type BalanceInstants, LaterBookings } from '../imports/file-import.ts'

/**
 * For each balance, sums the changes by transactions dated after its instant
 * (docs/files.md#balances), in minor units. A stored transaction counts by its current date, a
 * removed one by the date in the journal. Requires the row lock of the bank account; reads its
 * journal once. OFFSET 0 keeps each look-up a primary-key search: rows inserted in this transaction
 * are in no statistics, so a join might scan them all for each entry.
 */
export function sumLaterBookings(
  tx: Tx,
  { accountId, bankAccountId }: Pick<BankAccount, 'accountId' | 'bankAccountId'>,
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
