import { dayMs, fromLocal, hourMs, isYearInRange, toLocal } from './time.ts'

/** A calendar day as written, which may not exist (30 February); months count from 1. */
export type Day = { year: number; month: number; day: number }

/**
 * Returns a calendar day as its number of days since 1970-01-01; null for a day that is not in the
 * calendar, or not in the years 1900 to 2199.
 */
export function dayNumber({ year, month, day }: Day): number | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isInCalendar = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isYearInRange(year) && isInCalendar ? date.getTime() / dayMs : null
}

/** Returns the number of the day in a text as YYYY-MM-DD; null where `dayNumber` is null. */
export function readDay(text: string): number | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  return dayNumber({ year: Number(year), month: Number(month), day: Number(day) })
}

/** Returns the number of the calendar day of an instant (ms) in a timezone. */
export function localDay(instant: number, timezone: string): number {
  return Math.floor(toLocal(instant, timezone) / dayMs)
}

/**
 * Returns midnight (ms) of a day number in a timezone: the first instant of that calendar day
 * (docs/recurrence.md#midnight-and-weekends). Of a midnight that occurs twice it is the first. If
 * clocks skip midnight or the whole day, it is the first instant after the gap. Throws RangeError
 * for an unknown timezone.
 */
export function startOfDay(day: number, timezone: string): number {
  const midnight = day * dayMs
  let start = fromLocal(midnight, timezone)
  // If clocks skip midnight, `start` is an instant after the gap, and `before` one before the gap:
  // a binary search finds the first instant after the gap. Otherwise the two are equal.
  let before = start - (toLocal(start, timezone) - midnight)
  while (start - before > 1 && toLocal(start - 1, timezone) >= midnight) {
    const middle = Math.floor((before + start) / 2)
    if (toLocal(middle, timezone) < midnight) {
      before = middle
    } else {
      start = middle
    }
  }
  return start
}

/** Returns midnight (ms) of the calendar day of an instant (ms) in a timezone (`startOfDay`). */
export function midnightMs(instant: number, timezone: string): number {
  return startOfDay(localDay(instant, timezone), timezone)
}

/** Returns midnight of the calendar day of an instant in a timezone (`startOfDay`). */
export function midnightOf(instant: Date, timezone: string): Date {
  return new Date(midnightMs(instant.getTime(), timezone))
}

/**
 * Returns whether an instant is within an hour after midnight; of a midnight that occurs twice,
 * also after the second.
 */
export function isInMidnightHour(instant: Date, timezone: string): boolean {
  const at = instant.getTime()
  const sinceStart = at - midnightMs(at, timezone)
  const timeOfDay = toLocal(at, timezone) - localDay(at, timezone) * dayMs
  return Math.min(sinceStart, timeOfDay) < hourMs
}

/** Returns the last whole second (ms) of a day number: one second before the next day begins. */
export function endOfDay(day: number, timezone: string): number {
  return startOfDay(day + 1, timezone) - 1000
}

/**
 * Returns the instant whose day and time in `to` are those of `instant` in `from`. Midnight of a
 * day becomes midnight of the same day (`startOfDay`).
 */
export function movedTo(instant: Date, { from, to }: { from: string; to: string }): Date {
  const at = instant.getTime()
  const day = localDay(at, from)
  const isMidnight = at === startOfDay(day, from)
  return new Date(isMidnight ? startOfDay(day, to) : fromLocal(toLocal(at, from), to))
}
