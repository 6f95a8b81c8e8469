import { DateTime, IANAZone } from 'luxon'

/**
 * Midnight of the calendar day that contains the instant in that timezone, as an instant. Never
 * later than the instant; follows daylight saving (spec/budgeting.md 1.3).
 */
export function midnightOf(instant: Date, timezone: string): Date {
  return DateTime.fromJSDate(instant, { zone: timezone }).startOf('day').toJSDate()
}

/** Whether the text names an IANA timezone. */
export function isTimezone(text: string): boolean {
  return IANAZone.isValidZone(text)
}
