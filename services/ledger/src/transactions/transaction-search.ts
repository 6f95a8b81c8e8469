import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { readDay, startOfDay } from '@coffer/kit/values/day'
import { z } from 'zod'

/** A cursor in a list of transactions, newest first: the page begins after this date and ID. */
export const TransactionCursor = z.object({ date: z.date(), transactionId: z.string() })
export type TransactionCursor = z.infer<typeof TransactionCursor>

/** The filters of a search; null matches any value. */
export interface TransactionSearch {
  /** Null for all bank accounts whose link is not deleted; then `spendingId` is null. */
  bankAccountId: string | null
  spendingId: string | null
  /** Whether to return the soft-deleted transactions instead of the live ones. */
  isDeleted: boolean
  /** Whether to return only transactions without an envelope. */
  isFree: boolean
  /** Whether to leave out transactions that a user has decided to leave without an envelope. */
  isUndecided: boolean
  isPending: boolean | null
  text: string | null
  /** The amount in minor units, of either sign. */
  amount: bigint | null
  /** Smallest amount in minor units, included. */
  amountFrom: bigint | null
  /** Largest amount in minor units, included. */
  amountTo: bigint | null
  source: string | null
  /** Only transactions with this tag; case and accents are ignored. */
  tag: string | null
  /** Only transactions from this instant on: midnight of the oldest day. */
  from: Date
  /** Only transactions after this cursor, that is, older than it. */
  behind: TransactionCursor
  limit: number
}

const start = { date: new Date('9999-12-31T00:00:00Z'), transactionId: '' }
const end = new Date('0001-01-01T00:00:00Z')

/**
 * Returns the range from day `from` to day `to`, both included, and after a cursor. Days are
 * YYYY-MM-DD in `timezone`; null is unbounded. Throws `invalid` for a day that does not exist.
 */
export function rangeOf(
  of: { from: string | null; to: string | null; after: TransactionCursor | null },
  timezone: string,
): { from: Date; behind: TransactionCursor } {
  const [first, last] = [dayOf('from', of.from), dayOf('to', of.to)]
  const dayAfter = last === null ? null : new Date(startOfDay(last + 1, timezone))
  const to = dayAfter === null ? start : { date: dayAfter, transactionId: '' }
  const { after } = of
  const behind = after !== null && after.date < to.date ? after : to
  return { from: first === null ? end : new Date(startOfDay(first, timezone)), behind }
}

function dayOf(field: 'from' | 'to', text: string | null): number | null {
  const day = text === null ? null : readDay(text)
  if (text !== null && day === null) throw invalid({ [field]: say('NOT_DAY') })
  return day
}

/** Returns whether a trigram index serves a text: it needs three letters or digits in a row. */
export function isIndexed(text: string | null): text is string {
  return text !== null && /[\p{L}\p{N}]{3}/u.test(text.normalize('NFC'))
}
