import type { Of, Until } from './model-operation.ts'

/**
 * Amounts in cents: `current` is what the envelope holds, `net` is what transactions took and did
 * not give back, `spent` is the same since the period began. `refunded` is what refunds gave back
 * that this period had not spent. `hasEnded` is true after a period, which has the days of January
 * until `dayOfDue`. `grace` is null if none runs.
 */
export type Envelope = {
  isGoal: boolean
  current: number
  net: number
  spent: number
  refunded: number
  hasEnded: boolean
  grace: Grace | null
}

/** A running grace: its end, and U and M of docs/money/grace.md. */
type Grace = { until: Until; unspent: number; missing: number }

/** Day of January 2026 of all transactions from files and providers. */
export const dayOfRows = 10

/** Last day of January that is of an earlier period, once a period has ended. */
export const dayOfDue = dayOfRows - 1

type Envelopes = Record<string, Envelope>

/** The fields of a transaction that determine how its envelope pays it; amounts in cents. */
interface Paid {
  amount: number
  day: number
  envelope: string | null
  taken: number
  isRefund: boolean
  refunded: number
}

export function emptyEnvelope(isGoal: boolean): Envelope {
  return { isGoal, current: 0, net: 0, spent: 0, refunded: 0, hasEnded: false, grace: null }
}

/** Returns what a goal has used. */
export function usedOf({ isGoal, net }: Envelope): number {
  return isGoal ? Math.max(0, net) : 0
}

/** Returns what of the held money belongs to the closed period. */
function gracedOf({ current, grace }: Envelope): number {
  return grace ? Math.min(current, Math.max(0, grace.unspent - grace.missing)) : 0
}

/** Adds the amounts of a funding run to the envelopes that still exist. Returns true: accepted. */
export function fund(envelopes: Envelopes, { lines }: Of<'fund'>): boolean {
  for (const { envelope: id, amount, ceiling } of lines) {
    const envelope = envelopes[id]
    if (!envelope) continue
    const progress = envelope.current - gracedOf(envelope) + usedOf(envelope)
    envelope.current += Math.min(amount, Math.max(0, ceiling - progress))
  }
  return true
}

/** Ends the grace of an envelope: its money becomes free, or stays with `carryOver`. */
export function endGrace(envelope: Envelope | undefined, carryOver: boolean): void {
  if (!envelope?.grace) return
  envelope.current -= carryOver ? 0 : gracedOf(envelope)
  envelope.grace = null
}

export function endPeriod(
  envelopes: Envelopes,
  { envelope: id, target, carryOver, until }: Of<'endPeriod'>,
): boolean {
  const envelope = envelopes[id]
  if (!envelope) return true
  const unspent = Math.max(0, target - envelope.spent)
  const held = Math.min(envelope.current, unspent)
  if (until && unspent > 0) envelope.grace = { until, unspent, missing: unspent - held }
  else envelope.current -= carryOver ? 0 : held
  Object.assign(envelope, { spent: 0, refunded: 0, hasEnded: true })
  return true
}

export function take(envelopes: Envelopes, row: Paid): void {
  const envelope = row.envelope === null ? undefined : envelopes[row.envelope]
  Object.assign(row, { taken: 0, refunded: 0 })
  if (!envelope) return
  if (row.isRefund) {
    row.refunded = Math.min(Math.max(0, envelope.net), -row.amount)
    const spent = isEarlier(envelope, row.day) ? 0 : Math.max(0, envelope.spent)
    const earlier = Math.max(0, row.refunded - spent)
    move(envelope, { given: row.refunded, spent: -row.refunded })
    refundEarlier(envelope, earlier)
    return
  }
  const { grace } = envelope
  const isLate = grace !== null && row.day > grace.until.day
  row.taken = Math.min(envelope.current - (isLate ? gracedOf(envelope) : 0), row.amount)
  move(envelope, { given: -row.taken, spent: row.taken })
  countTaken(envelope, row)
}

/** Counts a payment in the closed period, if it pays a late bill or is of an earlier day. */
function countTaken(envelope: Envelope, { day, taken }: Pick<Paid, 'day' | 'taken'>): void {
  const { grace } = envelope
  const isLateBill = grace && day <= grace.until.day && grace.unspent > 0
  if (isLateBill || isEarlier(envelope, day)) countEarlier(envelope, taken)
}

/** Reverses `countTaken`, before the money is given back. */
function countGiven(envelope: Envelope, { day, taken }: Pick<Paid, 'day' | 'taken'>): void {
  const isBefore = isEarlier(envelope, day)
  const spent = isBefore ? 0 : Math.min(taken, Math.max(0, envelope.spent))
  if (envelope.grace || isBefore) countEarlier(envelope, spent - taken)
}

function countEarlier(envelope: Envelope, amount: number): void {
  envelope.spent -= amount
  if (envelope.grace) envelope.grace.unspent -= amount
}

function isEarlier({ hasEnded }: Envelope, day: number): boolean {
  return hasEnded && day <= dayOfDue
}

/** Counts a payment by its new day, without a change of money. */
export function redate(envelopes: Envelopes, row: Paid, day: number): void {
  const envelope = row.envelope === null ? undefined : envelopes[row.envelope]
  if (!envelope || isEarlier(envelope, row.day) === isEarlier(envelope, day)) return
  countGiven(envelope, row)
  countTaken(envelope, { day, taken: row.taken })
}

export function giveBack(envelopes: Envelopes, row: Paid): void {
  const envelope = row.envelope === null ? undefined : envelopes[row.envelope]
  if (!envelope) return
  const refunded = Math.min(row.refunded, envelope.current)
  countGiven(envelope, row)
  move(envelope, { given: row.taken - refunded, spent: refunded - row.taken })
  refundEarlier(envelope, -Math.min(refunded, envelope.refunded))
}

/** Counts a refund, or less of it, in an expense's closed period instead of in the running one. */
function refundEarlier(envelope: Envelope, amount: number): void {
  if (envelope.isGoal) return
  envelope.spent += amount
  envelope.refunded += amount
  if (envelope.grace) envelope.grace.unspent += amount
}

/** Adds amounts to what an envelope holds, and to the spending of its running period. */
function move(envelope: Envelope, { given, spent }: { given: number; spent: number }): void {
  envelope.current += given
  envelope.net -= given
  envelope.spent += spent
}
