import { dayMs, fromLocal } from '@coffer/kit/values/time'
import { z } from 'zod'

/** A place in a list of transactions, newest first: right behind this date and ID. */
export const Place = z.object({ date: z.date(), transactionId: z.string() })
export type Place = z.infer<typeof Place>

/** Which transactions of a bank account are looked for; null is any. */
export interface TransactionSearch {
  bankAccountId: string
  spendingId: string | null
  /** Only those that no envelope paid for. */
  isFree: boolean
  isPending: boolean | null
  text: string | null
  /** The first instant of the oldest day. */
  from: Date
  /** Only those behind this place. */
  behind: Place
  limit: number
}

const start = { date: new Date('9999-12-31T00:00:00Z'), transactionId: '' }
const end = new Date('0001-01-01T00:00:00Z')

/**
 * The part of the list that lies between two days, both included, and behind a place. Days are
 * YYYY-MM-DD in that timezone; null is no bound.
 */
export function rangeOf(
  of: { from: string | null; to: string | null; after: Place | null },
  timezone: string,
): { from: Date; behind: Place } {
  const to = of.to === null ? start : { date: startOf(of.to, timezone, 1), transactionId: '' }
  const { after } = of
  const behind = after !== null && after.date < to.date ? after : to
  return { from: of.from === null ? end : startOf(of.from, timezone, 0), behind }
}

/** The instant at which a calendar day begins, or one that many days later. */
function startOf(day: string, timezone: string, daysLater: number): Date {
  return new Date(fromLocal(Date.parse(`${day}T00:00:00Z`) + daysLater * dayMs, timezone))
}

/** The pattern of LIKE that a text containing this one fulfils. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Whether a text has three letters or digits in a row, without which no index of texts helps. */
export function isIndexed(text: string | null): text is string {
  return text !== null && /[\p{L}\p{N}]{3}/u.test(text)
}
