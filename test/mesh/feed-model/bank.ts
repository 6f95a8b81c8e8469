import type { FeedBank } from '../../providers/feed-bank.ts'
import { type Chance, choose } from '../sync-model/chance.ts'
import { lotCents, type Purchase, type Row, textsOf } from './purchase.ts'

/** The bank of a script: the purchases as they are, and the simulated list of the provider. */
export interface Bank {
  feed: FeedBank
  purchases: Purchase[]
  /** Returns the day as YYYY-MM-DD. */
  dayAt: (day: number) => string
  /** Number of IDs, and of amounts, so far. */
  serial: number
  /** Balance in cents, and all balances that a sync may have read. */
  balance: number
  balances: number[]
}

/** The number of days of a script. */
export const days = 40

/** Returns the purchases of one lot. */
export function lotOf({ purchases }: Pick<Bank, 'purchases'>, lot: number): Purchase[] {
  return purchases.filter((one) => one.lot === lot)
}

/** Returns another number, for an ID or an amount. */
export function nextOf(bank: Bank): number {
  bank.serial += 1
  return bank.serial
}

/** Returns a new ID of the provider. */
export const newId = (bank: Bank): string => `row-${nextOf(bank)}`

/** Returns a posted row of a new lot; one of four is a deposit. */
export function rowOf(bank: Bank, { days: day, variant, pick }: Chance): Row {
  const cents = (bank.purchases.length + 1) * lotCents
  return {
    id: newId(bank),
    day: day % days,
    cents: pick % 4 === 3 ? -cents : cents,
    isPending: false,
    family: pick % 3,
    variant,
  }
}

/** How a pending row is posted: under its ID, if it has one, or another. */
export type How = { chance: Chance; isSameId: boolean }

const postingDays = [-1, 0, 1, 2, 5, 10, 12]

/** Returns the posted row of a pending one. Some have another amount, or a text that is unlike. */
export function settledRow(bank: Bank, before: Row, { chance, isSameId }: How): Row {
  const { pick, days: later, variant } = chance
  return {
    id: isSameId && before.id !== null ? before.id : newId(bank),
    day: before.day + (choose(postingDays, later) ?? 0),
    cents: variant % 6 === 5 ? correctedCents(bank, before) : before.cents,
    isPending: false,
    family: variant % 7 === 6 ? pick % 3 : before.family,
    variant,
  }
}

/** Returns another amount of the same lot. */
export function correctedCents(bank: Bank, { cents }: Row): number {
  return cents + Math.sign(cents) * nextOf(bank)
}

/** Returns the row that the bank listed last. */
export function lastOf({ seen }: Purchase): Row {
  const row = seen.at(-1)
  if (!row) throw new Error('a purchase has at least one row')
  return row
}

/** Returns a row as the provider lists it: there, positive amounts enter the account. */
export function listed({ dayAt }: Bank, row: Row) {
  return { id: row.id, date: dayAt(row.day), amount: inUnits(-row.cents), ...textsOf(row) }
}

/** Returns cents as a decimal number. */
export const inUnits = (cents: number): string => (cents / 100).toFixed(2)
