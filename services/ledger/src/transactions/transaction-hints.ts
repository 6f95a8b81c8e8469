import type { JournalEntry } from '../book/journal.ts'
import type { Transaction } from '../book/transaction.ts'
import { isBooked } from '../money/bookings.ts'

// Hints are texts for people about a success that may surprise (docs/api.md#hints).

const paidWithoutMoving =
  'The envelope paid, but no balance moved, so free-to-use is higher now. If the money has left ' +
  'the account, create the transaction with adjustsBalance.'

const refundedWithoutMoving =
  'The envelope got the refund, but no balance moved, so free-to-use is lower now. If the money ' +
  'has come in, create the transaction with adjustsBalance.'

const refundedInPart =
  'The deposit is more than transactions took from the envelope, or than was left to refund: the ' +
  'rest is free-to-use.'

const paidInPart = 'The envelope held less than the amount: free-to-use pays the rest.'

/** Returns the hints of a creation. */
export function creationHints(
  created: Transaction,
  { adjustsBalance: isMoved }: { adjustsBalance: boolean },
): string[] {
  if (created.refundAmount !== null) return refundHints(created, { isMoved })
  const isPaid = (created.spendingAmount ?? 0n) > 0n
  return [...(isPaid && !isMoved ? [paidWithoutMoving] : []), ...partHints(created)]
}

function partHints({ spendingAmount, amount }: Transaction): string[] {
  return spendingAmount !== null && spendingAmount < amount ? [paidInPart] : []
}

function refundHints(
  { refundAmount, amount }: Transaction,
  { isMoved }: { isMoved: boolean },
): string[] {
  const given = refundAmount ?? 0n
  return [
    ...(given > 0n && !isMoved ? [refundedWithoutMoving] : []),
    ...(given < -amount ? [refundedInPart] : []),
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
    ...(hasMoved && isMoved
      ? ['No balance moved: a PATCH never moves one. To move them, correct the transaction.']
      : []),
    ...assignmentHints(before, after, { hasMoved }),
  ]
}

/** Returns the hints of another amount or envelope. Banks and files state the balances. */
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
  return [...(isPaid && !isMoved ? [paidWithoutMoving] : []), ...partHints(after)]
}

/** Returns the hints of a correction; `bookings` are those of the transaction before it. */
export function correctionHints(
  before: Transaction,
  after: Transaction,
  bookings: readonly JournalEntry[],
): string[] {
  const hasMoved = isBooked(bookings)
  return [
    ...(hasMoved
      ? []
      : ['The transaction has not moved the balances, so only the transaction was corrected.']),
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
    return isBooked(bookings)
      ? []
      : ['The transaction had not moved the balances; its amount was added to them.']
  }
  return isBooked(bookings)
    ? ['The balances keep what the transaction took: adjusts_balance=true would return it.']
    : []
}
