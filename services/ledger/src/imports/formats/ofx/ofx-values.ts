import { DateTime, FixedOffsetZone } from 'luxon'
import { type Day, endOfDay, withinYears } from '../statement-values.ts'

const DATE = /^(\d{8})(\d{4}(?:\d{2})?)?(?:\.\d+)?\s*(?:\[([+-]?\d{1,2}(?:\.\d+)?)?[^\]]*\]?)?$/

/**
 * Returns midnight, by `midnightOf`, of a date's day as written: time of day and `[offset:zone]`
 * are ignored. Returns null when the day does not exist.
 */
export function readDay(text: string, midnightOf: (day: Day) => Date | null): Date | null {
  const [, day = ''] = DATE.exec(text.trim()) ?? []
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(day) ?? []
  return midnightOf({ year: Number(year), month: Number(month), day: Number(date) })
}

/**
 * Returns the instant of a date, by its own offset or else in the timezone; the end of the day
 * where there is no time. Returns null when the instant does not exist.
 */
export function readInstant(text: string, timezone: string): Date | null {
  const [, day, time, offset] = DATE.exec(text.trim()) ?? []
  if (day === undefined) return null
  if (time === undefined) {
    const date = DateTime.fromFormat(day, 'yyyyMMdd', { zone: timezone })
    return date.isValid ? withinYears(endOfDay(date.toJSDate(), timezone)) : null
  }
  const zone =
    offset === undefined ? timezone : FixedOffsetZone.instance(Math.round(Number(offset) * 60))
  const instant = DateTime.fromFormat(`${day}${time.padEnd(6, '0')}`, 'yyyyMMddHHmmss', { zone })
  return instant.isValid ? withinYears(instant.toJSDate()) : null
}
