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

/** Returns the hints of a creation. */
export function creationHints(
  created: Transaction,
  { adjustsBalance }: { adjustsBalance: boolean },
): string[] {
  const { spendingAmount, amount } = created
  if (created.refundAmount !== null) return refundHints(created, { isMoved: adjustsBalance })
  if (spendingAmount === null) return []
  if (!adjustsBalance) return spendingAmount > 0n ? [paidWithoutMoving] : []
  return spendingAmount < amount
    ? ['The envelope held less than the amount: free-to-use pays the rest.']
    : []
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
  const isOther = before.amount !== after.amount || before.spendingId !== after.spendingId
  const refunds =
    after.refundAmount !== null && isOther
      ? refundHints(after, { isMoved: hasMoved || after.source !== 'manual' })
      : []
  const isMoved = before.amount !== after.amount || before.isPending !== after.isPending
  if (hasMoved) {
    const text = 'No balance moved: a PATCH never moves one. To move them, correct the transaction.'
    return isMoved ? [text, ...refunds] : refunds
  }
  const isPaid = (after.spendingAmount ?? 0n) > 0n && before.spendingId !== after.spendingId
  return isPaid && after.source === 'manual' ? [paidWithoutMoving] : refunds
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
