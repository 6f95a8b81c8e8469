import { dayMs, fromLocal } from '@coffer/kit/values/time'
import { z } from 'zod'

/** A cursor in a list of transactions, newest first: the page begins after this date and ID. */
export const TransactionCursor = z.object({ date: z.date(), transactionId: z.string() })
export type TransactionCursor = z.infer<typeof TransactionCursor>

/** The filters of a search in one bank account; null matches any value. */
export interface TransactionSearch {
  bankAccountId: string
  spendingId: string | null
  /** Whether to return the soft-deleted transactions instead of the live ones. */
  isDeleted: boolean
  /** Whether to return only transactions without an envelope. */
  isFree: boolean
  isPending: boolean | null
  text: string | null
  /** Smallest amount in minor units, included. */
  amountFrom: bigint | null
  /** Largest amount in minor units, included. */
  amountTo: bigint | null
  source: string | null
  /** Only transactions from this instant on: midnight of the oldest day. */
  from: Date
  /** Only transactions after this cursor, that is older ones. */
  behind: TransactionCursor
  limit: number
}

const start = { date: new Date('9999-12-31T00:00:00Z'), transactionId: '' }
const end = new Date('0001-01-01T00:00:00Z')

/**
 * Returns the range from day `from` to day `to`, both included, and after a cursor. Days are
 * YYYY-MM-DD in `timezone`; null is unbounded.
 */
export function rangeOf(
  of: { from: string | null; to: string | null; after: TransactionCursor | null },
  timezone: string,
): { from: Date; behind: TransactionCursor } {
  const to = of.to === null ? start : { date: startOf(of.to, timezone, 1), transactionId: '' }
  const { after } = of
  const behind = after !== null && after.date < to.date ? after : to
  return { from: of.from === null ? end : startOf(of.from, timezone, 0), behind }
}

/** Returns midnight of a calendar day plus `daysLater`, as an instant. */
function startOf(day: string, timezone: string, daysLater: number): Date {
  return new Date(fromLocal(Date.parse(`${day}T00:00:00Z`) + daysLater * dayMs, timezone))
}

/** Returns the LIKE pattern for texts that contain `text`, wildcards escaped. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Returns whether a trigram index serves a text: it needs three letters or digits in a row. */
export function isIndexed(text: string | null): text is string {
  return text !== null && /[\p{L}\p{N}]{3}/u.test(text)
}
