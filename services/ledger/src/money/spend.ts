import { lesser } from '@coffer/kit/values/money'
import { z } from 'zod'
import type { Envelope } from '../book/envelope.ts'
import type { Reason } from '../book/journal.ts'
import { findEnvelope, postHeld, postUsed, type StartedOperation } from './operation.ts'

/** Takes min(held, amount) from an envelope for a transaction; returns the taken minor units. */
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

/** The envelope of a transaction and the amount taken from it; both null if unassigned. */
export type Assignment = { spendingId: string | null; spendingAmount: bigint | null }

/** The amount that an envelope gave to removed transactions, in minor units. */
export const Given = z.object({ spendingId: z.string(), given: z.bigint() })
export type Given = z.infer<typeof Given>

/** Returns `spendingAmount` to the transaction's envelope; does nothing if unassigned. */
export function giveBack(started: StartedOperation, assignment: Assignment, reason: Reason): void {
  const envelope = envelopeOf(started, assignment)
  if (envelope !== null) {
    move(started, envelope, { ...reason, delta: assignment.spendingAmount ?? 0n })
  }
}

/** Returns a transaction's envelope, null if unassigned; throws Error if the envelope is closed. */
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
  postHeld(started, envelope, change)
  envelope.periodSpent -= change.delta
  if (envelope.spendingType === 'goal') {
    postUsed(started, envelope, { ...change, delta: -change.delta })
  }
}
