import { dayMs, fromLocal, toLocal } from './zone.ts'

/** Calendar days since 1970-01-01 of an instant (ms) in `timezone`. */
export function dayNumber(instant: number, timezone: string): number {
  return Math.floor(toLocal(instant, timezone) / dayMs)
}

/** The instant (ms) at which a calendar day begins in `timezone`. */
export function dayStart(day: number, timezone: string): number {
  return fromLocal(day * dayMs, timezone)
}

/**
 * M(t) of `spec/budgeting.md` 1.3 in ms: midnight, in `timezone`, of the calendar day that
 * contains `instant`.
 */
export function midnightMs(instant: number, timezone: string): number {
  return dayStart(dayNumber(instant, timezone), timezone)
}

/**
 * M(t) of `spec/budgeting.md` 1.3: midnight, in `timezone`, of the calendar day that contains
 * `at`. Never later than `at`.
 */
export function midnight(at: Date, timezone: string): Date {
  return new Date(midnightMs(at.getTime(), timezone))
}

/** Weekday of a day number, Monday 0 to Sunday 6. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/**
 * Midnight (ms) of the Friday before when `instant` is on a weekend in `timezone`, else of its
 * own day (`spec/budgeting.md` 2.6).
 */
export function weekdayStart(instant: number, timezone: string): number {
  const day = dayNumber(instant, timezone)
  return dayStart(day - Math.max(0, weekday(day) - 4), timezone)
}
