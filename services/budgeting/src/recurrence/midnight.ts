import { dayMs, fromLocal, toLocal } from '@coffer/kit/values/time'

/** M(t) of `spec/budgeting.md` 1.3 in ms: midnight of the day that contains `instant` there. */
export function midnightMs(instant: number, timezone: string): number {
  return fromLocal(dayNumber(instant, timezone) * dayMs, timezone)
}

/** Weekday of a day number (days since 1970-01-01), Monday 0 to Sunday 6. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/**
 * Midnight (ms) of the Friday before when `instant` is on a weekend in `timezone`, else of its own
 * day (`spec/budgeting.md` 2.6).
 */
export function weekdayStart(instant: number, timezone: string): number {
  const day = dayNumber(instant, timezone)
  return fromLocal((day - Math.max(0, weekday(day) - 4)) * dayMs, timezone)
}

function dayNumber(instant: number, timezone: string): number {
  return Math.floor(toLocal(instant, timezone) / dayMs)
}
