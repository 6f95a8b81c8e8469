import { isExact } from '@coffer/kit/values/money'
import { isYearInRange } from '@coffer/kit/values/time'
import { DateTime } from 'luxon'

const AMOUNT = /^([+-]?)(\d*)(?:[.,](\d*))?$/
const DIGITS_MAX = 30

/** A calendar day, which may not exist (30 February); months count from 1. */
export type Day = { year: number; month: number; day: number }

/**
 * Returns an amount in minor units, null if the text is unreadable
 * (docs/file-formats.md#rules-for-every-format). Accepts a decimal point or comma, and no grouping;
 * `places` is the currency's number of decimals.
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

/** Returns the last second of the day that contains the instant in a timezone. */
export function endOfDay(instant: Date, timezone: string): Date {
  return DateTime.fromJSDate(instant, { zone: timezone }).endOf('day').startOf('second').toJSDate()
}

/** Returns the instant, or null if it is not in the years 1900 to 2199. */
export function withinYears(instant: Date): Date | null {
  return isYearInRange(instant.getUTCFullYear()) ? instant : null
}

/** Maximum number of rows in a file, in every format. */
export const rowsMax = 100_000

/** Returns a cached version of `midnightOf` for one timezone, because many rows share a day. */
export function midnightsIn(timezone: string): (day: Day) => Date | null {
  const known = new Map<string, Date | null>()
  return (day) => {
    const name = `${day.year}-${day.month}-${day.day}`
    let midnight = known.get(name)
    if (midnight === undefined) {
      midnight = midnightOf(day, timezone)
      known.set(name, midnight)
    }
    return midnight
  }
}

/** Returns the first instant of a day in a timezone; null for no day of the years 1900 to 2199. */
export function midnightOf({ year, month, day }: Day, timezone: string): Date | null {
  if (!isYearInRange(year)) return null
  const date = DateTime.fromObject({ year, month, day }, { zone: timezone })
  return date.isValid ? date.startOf('day').toJSDate() : null
}
