import { requireManual } from '../book/bank-account.ts'
import type { JournalEntry } from '../book/journal.ts'
import { type Assignment, type Transaction, unassigned } from '../book/transaction.ts'
import { differenceOf, isBooked, lastReturned, sumBookings } from '../money/bookings.ts'
import {
  type BalanceDeltas,
  deltasOf,
  endOperation,
  findEnvelope,
  type Locked,
  moveBalances,
  postKept,
  postTakenUp,
  type Settlement,
  startOperation,
} from '../money/operation.ts'
import { envelopeOf, giveBack } from '../money/spend.ts'
import { assign, type TransactionDecision } from './transaction-creation.ts'

export type Removal = { adjustsBalance: boolean; soft: boolean }

/** A transaction with the journal rows by which it moved the balances, oldest first. */
export type BookedState = Locked & {
  transaction: Transaction
  bookings: readonly JournalEntry[]
}

const nothing: BalanceDeltas = { available: 0n, current: 0n }

/**
 * Returns the rows to save for a DELETE (docs/money.md#deletion-of-transactions); `transaction` is
 * null if its row is to be deleted. With `adjustsBalance` the balances get back what the
 * transaction booked, or its amount if it booked nothing, and the envelope gets `spendingAmount`.
 * A transaction that is soft-deleted already changes no amount.
 */
export function removeTransaction(
  locked: BookedState,
  { adjustsBalance, soft }: Removal,
): { settlement: Settlement; transaction: Transaction | null } {
  requireManual(locked.bankAccount)
  const before = locked.transaction
  const started = startOperation(locked)
  if (before.deletedAt !== null) {
    return { settlement: endOperation(started), transaction: soft ? before : null }
  }
  const { transactionId } = before
  const after = { ...before, deletedAt: locked.operation.now, adjustedByDeletion: adjustsBalance }
  if (adjustsBalance) {
    const { bookings } = locked
    const booked = isBooked(bookings) ? sumBookings(bookings) : deltasOf(before)
    moveBalances(started, 'deletion', before, differenceOf(nothing, booked))
    giveBack(started, before, { cause: 'deletion', causeId: transactionId })
    Object.assign(after, unassigned, { unassignedByDeletion: before.spendingId })
  } else {
    const envelope = envelopeOf(started, before)
    if (envelope !== null) {
      postKept(started, envelope, { amount: paidBy(before), causeId: transactionId })
    }
  }
  return { settlement: endOperation(started), transaction: soft ? after : null }
}

/**
 * Returns the rows to save for the restoration of a soft-deleted transaction
 * (docs/money.md#restoration-of-transactions). The balances lose what the deletion returned to
 * them. The envelope from which the deletion unassigned it gives min(held, amount), or gets the
 * refund, if still open; an envelope that kept its deduction has given it already. A live
 * transaction changes nothing.
 */
export function restoreTransaction(locked: BookedState): TransactionDecision {
  requireManual(locked.bankAccount)
  const before = locked.transaction
  const started = startOperation(locked)
  if (before.deletedAt === null) return { settlement: endOperation(started), transaction: before }
  const { transactionId: causeId } = before
  const transaction = {
    ...before,
    deletedAt: null,
    adjustedByDeletion: null,
    unassignedByDeletion: null,
  }
  if (before.adjustedByDeletion === true) {
    const returned = lastReturned(locked.bookings)
    moveBalances(started, 'transaction', before, differenceOf(nothing, returned))
  }
  const kept = envelopeOf(started, before)
  if (kept !== null) postTakenUp(started, kept, { amount: paidBy(before), causeId })
  const former = findEnvelope(started, before.unassignedByDeletion ?? '')
  if (kept === null && former !== null) {
    const { spendingId } = former
    // A deposit with an envelope is a refund.
    const [pays, gets] = before.amount < 0n ? [null, spendingId] : [spendingId, null]
    const named = { spendingId: pays, refundSpendingId: gets }
    Object.assign(transaction, assign(started, before, named))
  }
  return { settlement: endOperation(started), transaction }
}

/** Returns what the envelope gave in minor units, negative if it got a refund. */
function paidBy({ spendingAmount, refundAmount }: Assignment): bigint {
  return (spendingAmount ?? 0n) - (refundAmount ?? 0n)
}
