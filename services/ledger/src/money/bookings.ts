import type { JournalEntry } from '../book/journal.ts'
import { type BalanceDeltas, isSpending } from './operation.ts'

/** Returns whether a journal row moved a balance because of a transaction. */
export function isBooking({ cause, spendingId }: JournalEntry): boolean {
  return spendingId === null && (cause === 'transaction' || cause === 'deletion')
}

/** Returns the sums of the journal rows by which a transaction moved the balances. */
export function sumBookings(bookings: readonly JournalEntry[]): BalanceDeltas {
  const sumOf = (pot: keyof BalanceDeltas) =>
    bookings.reduce((sum, one) => (one.pot === pot ? sum + one.delta : sum), 0n)
  return { available: sumOf('available'), current: sumOf('current') }
}

/** Returns whether a transaction has moved the balances, and no deletion has reversed that. */
export function isBooked(bookings: readonly JournalEntry[]): boolean {
  const { available, current } = sumBookings(bookings)
  return available !== 0n || current !== 0n
}

/** Returns what the last deletion of a transaction added to the balances. */
export function lastReturned(bookings: readonly JournalEntry[]): BalanceDeltas {
  const last = bookings.findLast(({ cause }) => cause === 'deletion')
  return sumBookings(bookings.filter((one) => one.operationId === last?.operationId))
}

/** Returns `one` minus `other`. */
export function differenceOf(one: BalanceDeltas, other: BalanceDeltas): BalanceDeltas {
  return { available: one.available - other.available, current: one.current - other.current }
}

/**
 * Returns `refundable` (what transactions took from envelopes) after further rows of the journal.
 */
export function refundableAfter(
  refundable: ReadonlyMap<string, bigint>,
  entries: readonly JournalEntry[],
): ReadonlyMap<string, bigint> {
  const after = new Map(refundable)
  for (const { spendingId, delta, pot, cause } of after.size === 0 ? [] : entries) {
    const before = after.get(spendingId ?? '')
    if (spendingId === null || before === undefined || !isSpending({ pot, cause })) continue
    after.set(spendingId, before - delta)
  }
  return after
}
