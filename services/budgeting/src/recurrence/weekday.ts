import { localDay, startOfDay } from '@coffer/kit/values/day'

/** Returns the weekday of a day number (days since 1970-01-01): Monday 0 to Sunday 6. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/**
 * Returns midnight (ms) of the day of `instant` (ms) in `timezone`; on a weekend, of the Friday
 * before (docs/funding-schedules.md#weekends).
 */
export function weekdayStart(instant: number, timezone: string): number {
  const day = localDay(instant, timezone)
  return startOfDay(day - Math.max(0, weekday(day) - 4), timezone)
}
