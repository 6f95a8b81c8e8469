import { lesser } from '@coffer/kit/values/money'
import { z } from 'zod'
import { type Envelope, graceAmountOf, isBeforePeriod } from '../book/envelope.ts'
import type { Reason } from '../book/journal.ts'
import { atLeastZero } from '../book/money.ts'
import type { Assignment, Transaction } from '../book/transaction.ts'
import { findEnvelope, postHeld, postUsed, type StartedOperation } from './operation.ts'

/**
 * Takes min(held, amount) from an envelope for a transaction of the day `day`; returns the taken
 * minor units. A grace is the time after a period in which the envelope keeps the money of that
 * closed period for late bills. A payment after the grace takes none of it (docs/money/grace.md).
 */
export function take(
  started: StartedOperation,
  envelope: Envelope,
  change: Reason & { amount: bigint; day: Date },
): bigint {
  const { cause, causeId, amount, day } = change
  const { graceUntil, currentAmount } = envelope
  const isAfter = graceUntil !== null && day >= graceUntil
  const available = isAfter ? currentAmount - graceAmountOf(envelope) : currentAmount
  const taken = lesser(available, amount)
  countTaken(envelope, taken, day)
  move(started, envelope, { cause, causeId, delta: -taken })
  if (taken > 0n) noteSpending(envelope, day)
  return taken
}

/** Counts a payment as one of an earlier period, if it is; otherwise nothing. */
function countTaken(envelope: Envelope, taken: bigint, day: Date): void {
  const { graceUntil, graceUnspent } = envelope
  // A transaction pays one bill. While money of the closed period is unspent, the late bill is
  // paid: all of it, even if it is larger, so that the next bill does not count as paid in part.
  const isLateBill = graceUntil !== null && day < graceUntil && graceUnspent > 0n
  if (isLateBill || isBeforePeriod(envelope, day)) countEarlier(envelope, taken)
}

/**
 * Counts a payment that is given back as one of an earlier period, if it is: of an earlier day, or
 * during a grace the part of the amount above the spending of the running period.
 */
function countGiven(
  envelope: Envelope,
  { amount, day, beside }: { amount: bigint; day: Date; beside: bigint },
): void {
  const { graceUntil, periodRefunded } = envelope
  const isEarlier = isBeforePeriod(envelope, day)
  if (!isEarlier && graceUntil === null) return
  const periodSpent = envelope.periodSpent + beside - lesser(beside, periodRefunded)
  const spent = isEarlier ? 0n : lesser(amount, atLeastZero(periodSpent))
  countEarlier(envelope, spent - amount)
}

/**
 * Counts an assigned payment by its new day. The period's spending changes only if the payment
 * moves into the running period, or out of it; no money moves.
 */
export function redate(
  started: StartedOperation,
  { spendingId, spendingAmount, date }: Assignment & Pick<Transaction, 'date'>,
  day: Date,
): void {
  const envelope = findEnvelope(started, spendingId ?? '')
  const amount = spendingAmount ?? 0n
  if (envelope === null || amount === 0n) return
  if (isBeforePeriod(envelope, date) === isBeforePeriod(envelope, day)) return
  countGiven(envelope, { amount, day: date, beside: 0n })
  countTaken(envelope, amount, day)
  noteSpending(envelope, day)
  started.touched.add(envelope.spendingId)
}

/** Stores the day of the newest payment; null once the period has spent nothing. */
function noteSpending(envelope: Envelope, day: Date | null): void {
  const { periodSpent, periodSpentOn: before } = envelope
  if (periodSpent <= 0n) envelope.periodSpentOn = null
  else if (day === null || isBeforePeriod(envelope, day)) return
  else if (before === null || before < day) envelope.periodSpentOn = day
}

/**
 * Assigns a transaction to an envelope: takes min(held, amount), or gives it the refund of a
 * deposit. Amounts are minor units.
 */
export function assignTo(
  started: StartedOperation,
  envelope: Envelope,
  {
    amount,
    day,
    causeId,
    isRefund,
  }: { amount: bigint; day: Date; causeId: string; isRefund: boolean },
): Assignment {
  const { spendingId } = envelope
  if (isRefund) {
    const refundAmount = refund(started, envelope, { amount: -amount, day, causeId })
    return { spendingId, spendingAmount: 0n, refundAmount }
  }
  const spendingAmount = take(started, envelope, { amount, day, cause: 'transaction', causeId })
  return { spendingId, spendingAmount, refundAmount: null }
}

/**
 * Gives a deposit back to an envelope, at most what transactions took from the envelope and did not
 * give back. Returns the given minor units (docs/money/refunds.md).
 */
function refund(
  started: StartedOperation,
  envelope: Envelope,
  { amount, day, causeId }: { amount: bigint; day: Date; causeId: string },
): bigint {
  const refundable = started.refundable.get(envelope.spendingId)
  if (refundable === undefined) throw new Error('the refundable amount of an envelope is not read')
  const given = lesser(atLeastZero(refundable), amount)
  const isEarlier = isBeforePeriod(envelope, day)
  const spent = isEarlier ? 0n : lesser(given, atLeastZero(envelope.periodSpent))
  move(started, envelope, { cause: 'refund', causeId, delta: given })
  refundEarlier(envelope, given - spent)
  noteSpending(envelope, null)
  return given
}

/**
 * Assigns a refund again after its reversal. The envelope kept `kept` of it at the reversal, so it
 * gets only the rest. Like a new refund, the rest is limited to the refundable amount. If that is
 * at least what it was right after the reversal (`refundable`), no other refund has reduced it, so
 * the envelope gets the whole rest.
 */
export function refundAgain(
  started: StartedOperation,
  envelope: Envelope,
  {
    given,
    kept,
    refundable,
    day,
    causeId,
  }: { given: bigint; kept: bigint; refundable: bigint | null; day: Date; causeId: string },
): Assignment {
  const { spendingId } = envelope
  const amount = given - kept
  const present = started.refundable.get(spendingId) ?? 0n
  const isAsBefore = refundable !== null && present >= refundable
  if (isAsBefore && present < amount) started.refundable.set(spendingId, amount)
  const added = (started.refundable.get(spendingId) ?? 0n) - present
  const again = refund(started, envelope, { amount, day, causeId })
  started.refundable.set(spendingId, (started.refundable.get(spendingId) ?? 0n) - added)
  move(started, envelope, { cause: 'refund', causeId, delta: kept })
  move(started, envelope, { cause: 'kept', causeId, delta: -kept })
  return { spendingId, spendingAmount: 0n, refundAmount: again + kept }
}

/**
 * Counts a refund of money that an expense spent before the running period. During a grace, it adds
 * to the unspent money of the closed period. A negative amount reverses this
 * (docs/money/refunds.md#periods).
 */
function refundEarlier(envelope: Envelope, amount: bigint): void {
  if (envelope.spendingType === 'goal') return
  envelope.periodSpent += amount
  envelope.periodRefunded += amount
  if (envelope.graceUntil !== null) envelope.graceUnspent += amount
}

/** The amounts that an envelope gave to removed transactions of a day, and got by their refunds. */
export const Given = z.object({
  spendingId: z.string(),
  date: z.date(),
  given: z.bigint(),
  refunded: z.bigint(),
})
export type Given = z.infer<typeof Given>

/**
 * Returns `spendingAmount` to the transaction's envelope, or takes min(held, `refundAmount`) of a
 * refund back from it; does nothing if unassigned. For a refund, the journal has the cause `refund`
 * instead of `transaction`. An undo of an upload calls this twice for an envelope: for the sum of
 * its payments, and for the sum of its refunds. In each call, `beside` is the sum of the other one.
 * It does so for the days of the running period (`date` is one of them) and for those before it.
 */
export function giveBack(
  started: StartedOperation,
  { beside = 0n, ...assignment }: Assignment & Pick<Transaction, 'date'> & { beside?: bigint },
  reason: Reason,
): void {
  const envelope = envelopeOf(started, assignment)
  if (envelope === null) return
  const { periodRefunded, graceUntil } = envelope
  if (assignment.refundAmount === null) {
    const delta = assignment.spendingAmount ?? 0n
    countGiven(envelope, { amount: delta, day: assignment.date, beside })
    move(started, envelope, { ...reason, delta })
    noteSpending(envelope, null)
    return
  }
  const cause = reason.cause === 'transaction' ? 'refund' : reason.cause
  const returned = lesser(assignment.refundAmount, envelope.currentAmount)
  const missing = assignment.refundAmount - returned
  move(started, envelope, { ...reason, cause: 'kept', delta: missing })
  move(started, envelope, { ...reason, cause, delta: -assignment.refundAmount })
  // Without a grace, the payments that the same undo reverses (`beside`) count as those that the
  // refund gave back first. Only the rest of the refund is of spending before the running period.
  const isBefore = isBeforePeriod(envelope, assignment.date)
  const earlier = atLeastZero(returned - (graceUntil === null && !isBefore ? beside : 0n))
  refundEarlier(envelope, -lesser(earlier, periodRefunded))
}

/** Counts an amount as spent in an earlier period, of whose money a grace is, not in this one. */
function countEarlier(envelope: Envelope, amount: bigint): void {
  if (envelope.graceUntil !== null) envelope.graceUnspent -= amount
  envelope.periodSpent -= amount
}

/** Returns a transaction's envelope, null if unassigned; throws Error if the envelope is closed. */
export function envelopeOf(
  started: StartedOperation,
  assignment: Pick<Assignment, 'spendingId'>,
): Envelope | null {
  if (assignment.spendingId === null) return null
  const envelope = findEnvelope(started, assignment.spendingId)
  if (envelope === null) {
    throw new Error(`the envelope ${assignment.spendingId} of a transaction is not open`)
  }
  return envelope
}

/**
 * Moves money between an envelope and transactions. A goal has no periods, so its used amount
 * follows `periodSpent`. `periodSpent` may fall below 0, if payments are deleted after their
 * refund; the used amount stays at 0 then.
 */
function move(
  started: StartedOperation,
  envelope: Envelope,
  change: Reason & { delta: bigint },
): void {
  postHeld(started, envelope, change)
  const before = envelope.periodSpent
  envelope.periodSpent -= change.delta
  if (envelope.spendingType === 'goal') {
    const delta = atLeastZero(envelope.periodSpent) - atLeastZero(before)
    const isBelow = envelope.usedAmount + delta < 0n
    postUsed(started, envelope, { ...change, delta: isBelow ? -envelope.usedAmount : delta })
  }
}
