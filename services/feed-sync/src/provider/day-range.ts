/** First and last day as YYYY-MM-DD, both included; null is unbounded. */
export interface DayRange {
  from: string | null
  to: string | null
}

const firstDay = '1970-01-01'
const futureDays = 365

/**
 * Returns the two halves of a range of days, the earlier first; null for a single day. For the
 * middle, an open range begins on 1970-01-01 and ends a year after `today`; the halves stay open.
 */
export function splitRange({ from, to }: DayRange, today: string): [DayRange, DayRange] | null {
  const first = numberOf(from ?? firstDay)
  const last = to === null ? numberOf(today) + futureDays : numberOf(to)
  if (first >= last) return null
  const middle = Math.floor((first + last) / 2)
  return [
    { from, to: dayAt(middle) },
    { from: dayAt(middle + 1), to },
  ]
}

const dayMs = 86_400_000

/** Returns the day that is a number of days before a day, both as YYYY-MM-DD. */
export function daysBefore(day: string, days: number): string {
  return dayAt(numberOf(day) - days)
}

/** Returns the number of days since 1970-01-01. */
function numberOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / dayMs
}

function dayAt(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10)
}
