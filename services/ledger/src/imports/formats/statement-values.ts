import { isExact } from '@coffer/kit/values/money'
import { DateTime } from 'luxon'

const AMOUNT = /^([+-]?)(\d*)(?:[.,](\d*))?$/
const DIGITS_MAX = 30
/** No statement is from outside these years, which every format in use can say. */
const YEAR_MIN = 1900
const YEAR_MAX = 2199

/** A day of the calendar, whether there is such a day or not; months count from 1. */
export type Day = { year: number; month: number; day: number }

/**
 * The exact number of minor units that an amount says, or null when it is none: no grouping, a
 * point or a comma before the decimals, no more decimals than the currency has (zeros aside),
 * within ±2^53−1 (`spec/ledger.md` 6.4, `decisions.md`).
 */
export function readAmount(text: string, places: number): bigint | null {
  const match = text.length > DIGITS_MAX ? null : AMOUNT.exec(text.trim())
  if (match === null) {
    return null
  }
  const [, sign, whole = '', fraction = ''] = match
  const decimals = fraction.replace(/0+$/, '')
  if ((whole === '' && fraction === '') || decimals.length > places) {
    return null
  }
  const units = BigInt(`${whole}${decimals.padEnd(places, '0')}`)
  if (!isExact(units)) {
    return null
  }
  return sign === '-' ? -units : units
}

/** The last second of the day that an instant is in, in a timezone. */
export function endOfDay(instant: Date, timezone: string): Date {
  return DateTime.fromJSDate(instant, { zone: timezone }).endOf('day').startOf('second').toJSDate()
}

/** An instant; null when no statement can be from then. */
export function reachable(instant: Date): Date | null {
  const year = instant.getUTCFullYear()
  return year >= YEAR_MIN && year <= YEAR_MAX ? instant : null
}

/** Rows that a file may have, of whatever format. */
export const rowsMax = 100_000

/** The beginnings of days in a timezone, each worked out once: a file has many rows of one day. */
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

/** The instant at which a day begins in a timezone; null when there is no such day. */
export function midnightOf({ year, month, day }: Day, timezone: string): Date | null {
  if (!(year >= YEAR_MIN && year <= YEAR_MAX)) {
    return null
  }
  const date = DateTime.fromObject({ year, month, day }, { zone: timezone })
  return date.isValid ? date.startOf('day').toJSDate() : null
}
