import type { JournalEntry } from '../book/journal.ts'
import type { Transaction } from '../book/transaction.ts'
import { isBooked } from '../money/bookings.ts'

// Hints are texts for people about a success that may surprise (docs/api.md#hints).

const paidWithoutMoving =
  'The envelope paid, but no balance moved, so free-to-use is higher now. If the money has left ' +
  'the account, create the transaction with adjustsBalance.'

/** Returns the hints of a creation. */
export function creationHints(
  { spendingAmount, amount }: Transaction,
  { adjustsBalance }: { adjustsBalance: boolean },
): string[] {
  if (spendingAmount === null) return []
  if (!adjustsBalance) return spendingAmount > 0n ? [paidWithoutMoving] : []
  return spendingAmount < amount
    ? ['The envelope held less than the amount: free-to-use pays the rest.']
    : []
}

/** Returns the hints of a PATCH; `bookings` are those of the transaction before it. */
export function changeHints(
  before: Transaction,
  after: Transaction,
  bookings: readonly JournalEntry[],
): string[] {
  const isMoved = before.amount !== after.amount || before.isPending !== after.isPending
  if (isBooked(bookings)) {
    return isMoved
      ? ['No balance moved: a PATCH never moves one. To move them, correct the transaction.']
      : []
  }
  const isPaid = (after.spendingAmount ?? 0n) > 0n && before.spendingId !== after.spendingId
  return isPaid && after.source === 'manual' ? [paidWithoutMoving] : []
}

/** Returns the hints of a correction. */
export function correctionHints(bookings: readonly JournalEntry[]): string[] {
  return isBooked(bookings)
    ? []
    : ['The transaction has not moved the balances, so only the transaction was corrected.']
}

/** Returns the hints of a deletion; `before` may be soft-deleted already. */
export function removalHints(
  before: Transaction,
  { adjustsBalance }: { adjustsBalance: boolean },
  bookings: readonly JournalEntry[],
): string[] {
  if (before.deletedAt !== null) return []
  if (adjustsBalance) {
    return isBooked(bookings)
      ? []
      : ['The transaction had not moved the balances; its amount was added to them.']
  }
  return isBooked(bookings)
    ? ['The balances keep what the transaction took: adjusts_balance=true would return it.']
    : []
}
