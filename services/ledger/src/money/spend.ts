import { lesser } from '@coffer/kit/values/money'
import type { Envelope } from '../envelopes/envelope.ts'
import { type Book, findEnvelope, postHeld, postUsed, touch } from './book.ts'
import type { Reason } from './journal.ts'

/**
 * Takes a transaction's amount out of an envelope, as far as it reaches, and says how much that
 * was: the transaction's `spendingAmount`, maybe 0 (`spec/ledger.md` 4.7 Take).
 */
export function take(book: Book, envelope: Envelope, change: Reason & { amount: bigint }): bigint {
  const { cause, causeId, amount } = change
  const taken = lesser(envelope.currentAmount, amount)
  move(book, envelope, { cause, causeId, delta: -taken })
  return taken
}

/** What an assigned transaction says of its envelope; both null when unassigned. */
export type Assignment = { spendingId: string | null; spendingAmount: bigint | null }

/** Gives a transaction's envelope, if it has one, back what it gave (`spec/ledger.md` 4.7). */
export function giveBack(book: Book, assignment: Assignment, reason: Reason): void {
  const envelope = envelopeOf(book, assignment)
  if (envelope !== null) {
    move(book, envelope, { ...reason, delta: assignment.spendingAmount ?? 0n })
  }
}

/**
 * The open envelope of an assigned transaction, null when it has none. An assignment to an envelope
 * that is not open is a broken record, never the client's fault.
 */
export function envelopeOf(book: Book, assignment: Assignment): Envelope | null {
  if (assignment.spendingId === null) {
    return null
  }
  const envelope = findEnvelope(book, assignment.spendingId)
  if (envelope === null) {
    throw new Error(`the envelope ${assignment.spendingId} of a transaction is not open`)
  }
  return envelope
}

function move(book: Book, envelope: Envelope, change: Reason & { delta: bigint }): void {
  touch(book, envelope)
  postHeld(book, envelope, change)
  envelope.periodSpent -= change.delta
  if (envelope.spendingType === 'goal') {
    postUsed(book, envelope, { ...change, delta: -change.delta })
  }
}
