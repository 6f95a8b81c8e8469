import { lesser } from '@coffer/kit/values/money'
import { z } from 'zod'
import { type Envelope, graceAmountOf } from '../book/envelope.ts'
import type { Reason } from '../book/journal.ts'
import { atLeastZero } from '../book/money.ts'
import type { Assignment } from '../book/transaction.ts'
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
  // A transaction pays one bill. While money of the closed period is unspent, the late bill is
  // paid: all of it, even if it is larger, so that the next bill does not count as paid in part.
  spendOfGrace(envelope, isAfter || envelope.graceUnspent <= 0n ? 0n : taken)
  move(started, envelope, { cause, causeId, delta: -taken })
  if (taken > 0n) noteSpending(envelope, day)
  return taken
}

/** Stores the day of the newest payment; null once the period has spent nothing. */
function noteSpending(envelope: Envelope, day: Date | null): void {
  const { periodSpent, periodSpentOn: before } = envelope
  if (periodSpent <= 0n) envelope.periodSpentOn = null
  else if (day !== null && (before === null || before < day)) envelope.periodSpentOn = day
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
    const refundAmount = refund(started, envelope, { amount: -amount, causeId })
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
  { amount, causeId }: { amount: bigint; causeId: string },
): bigint {
  const refundable = started.refundable.get(envelope.spendingId)
  if (refundable === undefined) throw new Error('the refundable amount of an envelope is not read')
  const given = lesser(atLeastZero(refundable), amount)
  const spent = lesser(given, atLeastZero(envelope.periodSpent))
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
    causeId,
  }: { given: bigint; kept: bigint; refundable: bigint | null; causeId: string },
): Assignment {
  const { spendingId } = envelope
  const amount = given - kept
  const present = started.refundable.get(spendingId) ?? 0n
  const isAsBefore = refundable !== null && present >= refundable
  if (isAsBefore && present < amount) started.refundable.set(spendingId, amount)
  const added = (started.refundable.get(spendingId) ?? 0n) - present
  const again = refund(started, envelope, { amount, causeId })
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

/** The amounts that an envelope gave to removed transactions, and got by removed refunds. */
export const Given = z.object({ spendingId: z.string(), given: z.bigint(), refunded: z.bigint() })
export type Given = z.infer<typeof Given>

/**
 * Returns `spendingAmount` to the transaction's envelope, or takes min(held, `refundAmount`) of a
 * refund back from it; does nothing if unassigned. For a refund, the journal has the cause `refund`
 * instead of `transaction`. An undo of an upload calls this twice for an envelope: for the sum of
 * its payments, and for the sum of its refunds. In each call, `beside` is the sum of the other one.
 */
export function giveBack(
  started: StartedOperation,
  { beside = 0n, ...assignment }: Assignment & { beside?: bigint },
  reason: Reason,
): void {
  const envelope = envelopeOf(started, assignment)
  if (envelope === null) return
  const { periodRefunded, graceUntil } = envelope
  if (assignment.refundAmount === null) {
    const delta = assignment.spendingAmount ?? 0n
    // Reverses `take`: the part of the amount above the spending of the running period was spent
    // from the money of the closed period, so it returns to that.
    const periodSpent = envelope.periodSpent + beside - lesser(beside, periodRefunded)
    const spent = lesser(delta, atLeastZero(periodSpent))
    spendOfGrace(envelope, graceUntil === null ? 0n : spent - delta)
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
  const earlier = atLeastZero(returned - (graceUntil === null ? beside : 0n))
  refundEarlier(envelope, -lesser(earlier, periodRefunded))
}

/** Counts an amount as spent from the money of the closed period instead of the running one. */
function spendOfGrace(envelope: Envelope, amount: bigint): void {
  envelope.graceUnspent -= amount
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
