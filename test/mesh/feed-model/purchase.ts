import { isDeepStrictEqual } from 'node:util'

/** A row of the bank's list. `day` counts from the first day of the script. */
export interface Row {
  /** The provider's ID; null for a pending row without one. */
  id: string | null
  day: number
  /** Positive if money leaves the account. */
  cents: number
  isPending: boolean
  /** Texts of one family are alike: they differ in case, digits, blanks, or in their end. */
  family: number
  variant: number
}

/**
 * A purchase or deposit as the bank knows it. Purchases of one lot were equal when they were made:
 * no client can tell which posted row belongs to which pending one. Each lot has its own amounts.
 */
export interface Purchase {
  lot: number
  /** The row of the purchase; null while the bank does not list it. */
  row: Row | null
  /** Rows that the last complete sync read, or a later one may have read; the newest is last. */
  seen: Row[]
  /** Whether the ledger may lack the purchase: it was not listed since the last complete sync. */
  mayLack: boolean
  /** Handle of the row in the simulated bank. */
  handle: string
  /** Handle of the pending row, while the bank still lists it beside the posted one. */
  stale: string | null
  /** Whether the next sync may read a former state: the row is delayed, or moves meanwhile. */
  isUnsure: boolean
  /** Whether the row was pending, and is posted with a tip since the last complete sync. */
  isTipped: boolean
  /** Whether a client could once not know that two rows are the same purchase. */
  isBroken: boolean
  isCancelled: boolean
  /** Whether the bank has ever listed it as pending. */
  wasPending: boolean
  /** The provider's ID before all rows got new ones; null once the row has changed otherwise. */
  formerId: string | null
  /** Transaction of the purchase after the last complete sync; null before. */
  transactionId: string | null
}

const families = ['Cafe Roma', 'Garage Meier', 'Nordic Books']
const spellings = [
  (text: string) => text,
  (text: string) => `${text.toUpperCase()} 0815`,
  (text: string) => `${text} Downtown`,
]

/** Amounts of a lot differ by less than this many cents. */
export const lotCents = 10_000

/** Returns the lot that has an amount. */
export const lotAt = (cents: number): number => Math.floor(Math.abs(cents) / lotCents)

/** Returns the texts of a row at the provider. Those of two lots are not alike. */
export function textsOf({ family, variant, cents }: Pick<Row, 'family' | 'variant' | 'cents'>) {
  const lot = [...`${lotAt(cents)}`].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const merchant = `x${lot}x ${families[family % families.length] ?? ''}`
  const spell = spellings[variant % spellings.length]
  const text = spell?.(merchant) ?? merchant
  // A fourth of the rows has no merchant, only a description.
  return { merchant: variant % 4 === 3 ? null : text, description: `CARD ${text}` }
}

/**
 * Returns whether a client must recognize the purchase, if it sees these two rows one after the
 * other (docs/syncs.md#matching).
 */
function isRecognizable(before: Row, after: Row): boolean {
  if (before.id !== null && before.id === after.id) return true
  if (isRenewed(before, after)) return true
  if (before.cents !== after.cents || !before.isPending) return false
  const days = after.day - before.day
  if (after.isPending) return before.id === null && after.id === null && days === 0
  return before.family === after.family && days >= -1 && days <= 10
}

/**
 * Returns whether a client must recognize a purchase by its tip, if the user has worked on it:
 * the same text, and the pending row is not listed any more (docs/syncs.md#tips-and-holds).
 */
export function hasTip({ isTipped, isUnsure, seen }: Purchase): boolean {
  const [before, after, ...others] = seen
  if (!isTipped || isUnsure || !before || !after || others.length > 0) return false
  const days = after.day - before.day
  const areSame = before.family === after.family && before.variant === after.variant
  return areSame && days >= -1 && days <= 10 && after.cents !== before.cents
}

/** Returns whether two rows differ in the provider's ID only. */
function isRenewed(before: Row, after: Row): boolean {
  if (before.id === null || after.id === null || before.id === after.id) return false
  return isDeepStrictEqual({ ...before, id: after.id }, after)
}

/** Sets that an incomplete list has shown rows: new IDs in it are those of other purchases. */
export function showPart(purchase: Purchase): void {
  const { seen } = purchase
  if (seen.some((row) => seen.some((other) => isRenewed(row, other)))) purchase.isBroken = true
}

/** Sets the row of a purchase, after a change at the bank. */
export function show(purchase: Purchase, row: Row): void {
  const last = purchase.seen.at(-1)
  if (last && !isRecognizable(last, row)) purchase.isBroken = true
  purchase.row = row
  purchase.seen.push(row)
  purchase.formerId = null
}

/** Sets that the bank does not list a purchase any more. */
export function hide(purchase: Purchase): void {
  purchase.row = null
  purchase.mayLack = true
}

/**
 * Returns whether the ledger must have kept the transaction of a purchase through all rows since
 * the last complete sync, whichever of them it has read.
 */
export function keepsTransaction({ seen, isBroken }: Purchase): boolean {
  const pairs = seen.flatMap((row, index) => seen.slice(index + 1).map((later) => [row, later]))
  return pairs.every(([row, later]) => {
    if (!row || !later) return true
    return isBroken ? row.id !== null && row.id === later.id : isRecognizable(row, later)
  })
}

/**
 * Forgets former rows, because a complete sync has read the present one. Of a purchase that is not
 * listed, a client knows any of them.
 */
export function settleSeen(purchase: Purchase): void {
  const { row, seen } = purchase
  if (!keepsTransaction(purchase)) purchase.isBroken = true
  purchase.seen = row === null ? seen : [row]
  purchase.isTipped = false
  purchase.mayLack = row === null
}
