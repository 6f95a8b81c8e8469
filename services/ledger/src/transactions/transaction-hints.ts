import { say } from '@coffer/kit/reasons/reasons'
import type { JournalEntry } from '../book/journal.ts'
import type { Transaction } from '../book/transaction.ts'
import { isBooked } from '../money/bookings.ts'

// Hints are texts for people about a successful request whose effect may surprise
// (docs/api.md#hints).

/** Returns the hints of a creation. */
export function creationHints(
  created: Transaction,
  { adjustsBalance: isMoved }: { adjustsBalance: boolean },
): string[] {
  if (created.refundAmount !== null) return refundHints(created, { isMoved })
  const isPaid = (created.spendingAmount ?? 0n) > 0n
  return [...(isPaid && !isMoved ? [say('PAID_WITHOUT_MOVING')] : []), ...partHints(created)]
}

function partHints({ spendingAmount, amount }: Transaction): string[] {
  return spendingAmount !== null && spendingAmount < amount ? [say('PAID_IN_PART')] : []
}

function refundHints(
  { refundAmount, amount }: Transaction,
  { isMoved }: { isMoved: boolean },
): string[] {
  const given = refundAmount ?? 0n
  return [
    ...(given > 0n && !isMoved ? [say('REFUNDED_WITHOUT_MOVING')] : []),
    ...(given < -amount ? [say('REFUNDED_IN_PART')] : []),
  ]
}

/** Returns the hints of a PATCH; `bookings` are those of the transaction before it. */
export function changeHints(
  before: Transaction,
  after: Transaction,
  bookings: readonly JournalEntry[],
): string[] {
  const hasMoved = isBooked(bookings)
  const isMoved = before.amount !== after.amount || before.isPending !== after.isPending
  return [
    ...(hasMoved && isMoved ? [say('BALANCE_NOT_MOVED')] : []),
    ...assignmentHints(before, after, { hasMoved }),
  ]
}

/**
 * Returns the hints about a changed amount or envelope. Transactions of banks and files get no hint
 * about balances, because banks and files state the balances.
 */
function assignmentHints(
  before: Transaction,
  after: Transaction,
  { hasMoved }: { hasMoved: boolean },
): string[] {
  const isAssigned = before.spendingId !== after.spendingId
  if (!isAssigned && before.amount === after.amount) return []
  const isMoved = hasMoved || after.source !== 'manual'
  if (after.refundAmount !== null) return refundHints(after, { isMoved })
  const isPaid = isAssigned && (after.spendingAmount ?? 0n) > 0n
  return [...(isPaid && !isMoved ? [say('PAID_WITHOUT_MOVING')] : []), ...partHints(after)]
}

/** Returns the hints of a correction; `bookings` are those of the transaction before it. */
export function correctionHints(
  before: Transaction,
  after: Transaction,
  bookings: readonly JournalEntry[],
): string[] {
  const hasMoved = isBooked(bookings)
  return [
    ...(hasMoved ? [] : [say('CORRECTED_ALONE')]),
    ...assignmentHints(before, after, { hasMoved }),
  ]
}

/** Returns the hints of a deletion; `before` may be soft-deleted already. */
export function removalHints(
  before: Transaction,
  { adjustsBalance }: { adjustsBalance: boolean },
  bookings: readonly JournalEntry[],
): string[] {
  if (before.deletedAt !== null) return []
  if (adjustsBalance) {
    return isBooked(bookings) ? [] : [say('ADDED_UNMOVED')]
  }
  return isBooked(bookings) ? [say('BALANCE_KEPT')] : []
}
