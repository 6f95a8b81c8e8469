import { type Day, dayNumber, startOfDay } from '@coffer/kit/values/day'
import { isExact } from '@coffer/kit/values/money'
import { dayMs, isYearInRange, toLocal } from '@coffer/kit/values/time'

const AMOUNT = /^([+-]?)(\d*)(?:[.,](\d*))?$/
const DIGITS_MAX = 30

/**
 * Returns an amount in minor units; null if the text is no amount
 * (docs/file-formats.md#rules-for-every-format). Accepts a decimal point or comma, and no grouping
 * of thousands; `places` is the currency's number of decimals.
 */
export function readAmount(text: string, places: number): bigint | null {
  const match = text.length > DIGITS_MAX ? null : AMOUNT.exec(text.trim())
  if (match === null) return null
  const [, sign, whole = '', fraction = ''] = match
  const decimals = fraction.replace(/0+$/, '')
  if ((whole === '' && fraction === '') || decimals.length > places) return null
  const units = BigInt(`${whole}${decimals.padEnd(places, '0')}`)
  if (!isExact(units)) return null
  return sign === '-' ? -units : units
}

/** Returns the instant, or null if it is not in the years 1900 to 2199. */
export function withinYears(instant: Date): Date | null {
  return isYearInRange(instant.getUTCFullYear()) ? instant : null
}

/** Maximum number of rows in a file, in every format. */
export const rowsMax = 100_000

/** Returns midnight of a day in a timezone; null if it does not exist or is not in 1900 to 2199. */
export function midnightOn(day: Day, timezone: string): Date | null {
  const number = dayNumber(day)
  return number === null ? null : new Date(startOfDay(number, timezone))
}

/** Formats a day for the contents that identify rows. This format must never change. */
export function dayInContents({ year, month, day }: Day): string {
  return `${year}-${month}-${day}`
}

/**
 * Returns the instant of a day for identifiers made from row contents
 * (docs/file-formats.md#identifiers): midnight, or the second midnight if clocks go back over it.
 * Earlier releases used the second one, and a repeated import must yield equal identifiers.
 */
export function identifierInstant(midnight: Date, timezone: string): Date {
  const offsetAt = (instant: number) => toLocal(instant, timezone) - instant
  const first = midnight.getTime()
  const second = first + offsetAt(first) - offsetAt(first + dayMs / 2)
  const isRepeated = second > first && toLocal(second, timezone) === toLocal(first, timezone)
  return isRepeated ? new Date(second) : midnight
}
