import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import type { Envelope } from '../book/envelope.ts'
import { findEnvelope, postHeld, type StartedOperation } from './operation.ts'

/** Source and destination of a transfer, null for free-to-use money; `amount` in minor units. */
export type Transfer = {
  fromSpendingId: string | null
  toSpendingId: string | null
  amount: bigint
}

/**
 * Moves money between two envelopes, or an envelope and free-to-use (docs/money.md#transfers).
 * Throws `notFound` if an envelope is not open; `invalid` if source and destination are equal, or
 * the amount is not positive or more than the source envelope holds. The settlement lists the
 * source envelope first.
 */
export function transfer(started: StartedOperation, move: Transfer & { causeId: string }): void {
  const { fromSpendingId, toSpendingId, amount, causeId } = move
  if (amount <= 0n) throw invalid({ amount: say('NOT_POSITIVE') })
  if (fromSpendingId === null && toSpendingId === null) {
    throw invalid({ fromSpendingId: say('ENVELOPE_MISSING') })
  }
  if (fromSpendingId === toSpendingId) {
    throw invalid({ toSpendingId: say('ENVELOPE_SAME') })
  }
  const source = sideOf(started, fromSpendingId)
  const destination = sideOf(started, toSpendingId)
  if (source !== null && source.currentAmount < amount) {
    throw invalid({ amount: say('ENVELOPE_TOO_LOW') })
  }
  const reason = { cause: 'transfer', causeId } as const
  if (source !== null) postHeld(started, source, { delta: -amount, ...reason })
  if (destination !== null) postHeld(started, destination, { delta: amount, ...reason })
}

function sideOf(started: StartedOperation, spendingId: string | null): Envelope | null {
  if (spendingId === null) return null
  const envelope = findEnvelope(started, spendingId)
  if (envelope === null) throw notFound('spending')
  return envelope
}
