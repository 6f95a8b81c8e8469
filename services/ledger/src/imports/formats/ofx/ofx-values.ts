import { DateTime, FixedOffsetZone } from 'luxon'
import { type Day, endOfDay, reachable } from '../statement-values.ts'

const DATE = /^(\d{8})(\d{4}(?:\d{2})?)?(?:\.\d+)?\s*(?:\[([+-]?\d{1,2}(?:\.\d+)?)?[^\]]*\]?)?$/

/**
 * Midnight, by `midnightOf`, of the day that a date names. A time of day and an `[offset:zone]` are
 * ignored: the day is meant as written. Null when there is no such day.
 */
export function readDay(text: string, midnightOf: (day: Day) => Date | null): Date | null {
  const [, day = ''] = DATE.exec(text.trim()) ?? []
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(day) ?? []
  return midnightOf({ year: Number(year), month: Number(month), day: Number(date) })
}

/**
 * The instant that a date names, by its own offset when it has one, otherwise in the timezone; a
 * day without a time means its end. Null when there is no such instant.
 */
export function readInstant(text: string, timezone: string): Date | null {
  const [, day, time, offset] = DATE.exec(text.trim()) ?? []
  if (day === undefined) {
    return null
  }
  if (time === undefined) {
    const date = DateTime.fromFormat(day, 'yyyyMMdd', { zone: timezone })
    return date.isValid ? reachable(endOfDay(date.toJSDate(), timezone)) : null
  }
  const zone =
    offset === undefined ? timezone : FixedOffsetZone.instance(Math.round(Number(offset) * 60))
  const instant = DateTime.fromFormat(`${day}${time.padEnd(6, '0')}`, 'yyyyMMddHHmmss', { zone })
  return instant.isValid ? reachable(instant.toJSDate()) : null
}
