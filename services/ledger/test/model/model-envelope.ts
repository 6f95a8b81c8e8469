import type { Of } from './model-operation.ts'

/**
 * Amounts in cents: `current` is what the envelope holds, `net` is what transactions took and did
 * not give back, `spent` is the same since the period began.
 */
export type Envelope = { isGoal: boolean; current: number; net: number; spent: number }

type Envelopes = Record<string, Envelope>

/** The fields of a transaction that determine how its envelope pays it; amounts in cents. */
interface Paid {
  amount: number
  envelope: string | null
  taken: number
  isRefund: boolean
  refunded: number
}

export function emptyEnvelope(isGoal: boolean): Envelope {
  return { isGoal, current: 0, net: 0, spent: 0 }
}

/** Returns what a goal has used. */
export function usedOf({ isGoal, net }: Envelope): number {
  return isGoal ? Math.max(0, net) : 0
}

/** Adds the amounts of a funding run to the envelopes that still exist. Returns true: accepted. */
export function fund(envelopes: Envelopes, { lines }: Of<'fund'>): boolean {
  for (const { envelope: id, amount, ceiling } of lines) {
    const envelope = envelopes[id]
    if (!envelope) continue
    const progress = envelope.current + usedOf(envelope)
    envelope.current += Math.min(amount, Math.max(0, ceiling - progress))
  }
  return true
}

export function endPeriod(
  envelopes: Envelopes,
  { envelope: id, target, carryOver }: Of<'endPeriod'>,
): boolean {
  const envelope = envelopes[id]
  if (!envelope) return true
  const unspent = Math.max(0, target - envelope.spent)
  envelope.current -= carryOver ? 0 : Math.min(envelope.current, unspent)
  envelope.spent = 0
  return true
}

export function take(envelopes: Envelopes, row: Paid): void {
  const envelope = row.envelope === null ? undefined : envelopes[row.envelope]
  row.taken = envelope && !row.isRefund ? Math.min(envelope.current, row.amount) : 0
  row.refunded = envelope && row.isRefund ? Math.min(Math.max(0, envelope.net), -row.amount) : 0
  give(envelope, row.refunded - row.taken)
}

export function giveBack(envelopes: Envelopes, row: Paid): void {
  const envelope = row.envelope === null ? undefined : envelopes[row.envelope]
  give(envelope, row.taken - Math.min(row.refunded, envelope?.current ?? 0))
}

function give(envelope: Envelope | undefined, amount: number): void {
  if (!envelope) return
  envelope.current += amount
  envelope.spent -= amount
  envelope.net -= amount
}
