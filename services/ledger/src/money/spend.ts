import { lesser } from '@coffer/kit/values/money'
import type { Envelope } from '../envelopes/envelope.ts'
import type { Reason } from './journal.ts'
import { findEnvelope, postHeld, postUsed, type StartedOperation, touch } from './operation.ts'

/**
 * Takes min(held, amount) from an envelope for a transaction. Returns the amount taken, in minor
 * units: the transaction's `spendingAmount` (docs/money.md#spending-from-an-envelope).
 */
export function take(
  started: StartedOperation,
  envelope: Envelope,
  change: Reason & { amount: bigint },
): bigint {
  const { cause, causeId, amount } = change
  const taken = lesser(envelope.currentAmount, amount)
  move(started, envelope, { cause, causeId, delta: -taken })
  return taken
}

/** The envelope of a transaction and the amount it gave; both null if unassigned. */
export type Assignment = { spendingId: string | null; spendingAmount: bigint | null }

/** Gives the stored `spendingAmount` back to the envelope; does nothing if unassigned. */
export function giveBack(started: StartedOperation, assignment: Assignment, reason: Reason): void {
  const envelope = envelopeOf(started, assignment)
  if (envelope !== null) {
    move(started, envelope, { ...reason, delta: assignment.spendingAmount ?? 0n })
  }
}

/**
 * Returns the envelope of an assigned transaction, or null if unassigned. Throws a plain Error if
 * the envelope is not open: the stored rows are inconsistent, so no refusal fits.
 */
export function envelopeOf(started: StartedOperation, assignment: Assignment): Envelope | null {
  if (assignment.spendingId === null) return null
  const envelope = findEnvelope(started, assignment.spendingId)
  if (envelope === null) {
    throw new Error(`the envelope ${assignment.spendingId} of a transaction is not open`)
  }
  return envelope
}

function move(
  started: StartedOperation,
  envelope: Envelope,
  change: Reason & { delta: bigint },
): void {
  touch(started, envelope)
  postHeld(started, envelope, change)
  envelope.periodSpent -= change.delta
  if (envelope.spendingType === 'goal') {
    postUsed(started, envelope, { ...change, delta: -change.delta })
  }
}
