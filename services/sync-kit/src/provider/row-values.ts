import { parseMinorUnits } from '@coffer/kit/values/decimal'
import { isExact } from '@coffer/kit/values/money'
import { dayMs } from '@coffer/kit/values/time'

/**
 * Converts a provider's balance to minor units. Returns null for other texts, and beyond half the
 * range of amounts: the ledger books the difference of two balances, which is an amount too.
 */
export function parseBalance(decimal: string, currency: string): bigint | null {
  const balance = parseMinorUnits(decimal, currency)
  return balance !== null && isExact(2n * balance) ? balance : null
}

/** Returns the day that is this number of days from now, YYYY-MM-DD in UTC. */
export function dayAfter(now: Date, days: number): string {
  return new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10)
}

/** Returns whether a text is a calendar day, YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const firstDay = '1970-01-01'
const futureDays = 365

/** Returns the last day of transactions that are imported: a year from now, YYYY-MM-DD in UTC. */
export function lastDayOf(now: Date): string {
  return dayAfter(now, futureDays)
}

/** Returns whether a calendar day is from 1970 on, and not after the last day. */
export function isImportedDay(day: string, lastDay: string): boolean {
  return day >= firstDay && day <= lastDay
}
