import { dayMs, fromLocal, toLocal } from '@coffer/kit/values/time'

/** Returns the first instant (ms) of the day in `timezone` that contains `instant` (ms). */
export function midnightMs(instant: number, timezone: string): number {
  return fromLocal(dayNumber(instant, timezone) * dayMs, timezone)
}

/** Returns the weekday of a day number (days since 1970-01-01): Monday 0 to Sunday 6. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/**
 * Returns midnight (ms) of the day of `instant` (ms) in `timezone`; on a weekend, of the Friday
 * before (docs/funding-schedules.md#weekends).
 */
export function weekdayStart(instant: number, timezone: string): number {
  const day = dayNumber(instant, timezone)
  return fromLocal((day - Math.max(0, weekday(day) - 4)) * dayMs, timezone)
}

function dayNumber(instant: number, timezone: string): number {
  return Math.floor(toLocal(instant, timezone) / dayMs)
}
