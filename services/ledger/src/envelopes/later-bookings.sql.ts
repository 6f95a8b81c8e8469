import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import type { BankAccount } from '../accounts/bank-account.ts'
import { type BalanceInstants, LaterBookings } from '../imports/file-import.ts'

/**
 * Sums what transactions changed in each balance that are dated after its instant (docs/files.md,
 * Balances). The date is that of the transaction now; of a transaction that is gone, that of its
 * booking. The bank account must be locked in this transaction. Reads the journal of the bank
 * account once. The OFFSET keeps each look-up a search in the primary key: the rows of a file that
 * this transaction has stored are in no statistics, and a join would read them all for each entry.
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
