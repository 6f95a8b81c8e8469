import { z } from 'zod'

/**
 * The position of a link's syncs in the changes of its item. A loop reads all pages of changes from
 * a cursor to the end; the cursor of its end is the first of the next loop. A whole loop begins
 * without a cursor, and reads all transactions.
 */
export const Loop = z.object({
  /** Cursor of the first page of the loop; null before the first loop. */
  cursor: z.string().nullable(),
  /** Cursor of the next page of the loop that runs; null at its first page. */
  pageCursor: z.string().nullable(),
  /** Raised when a loop is restarted. */
  loopNumber: z.number(),
  /** Begin of the whole loop that runs; null in other loops. */
  wholeLoopStartedAt: z.date().nullable(),
  /** Since when a whole loop is due, because an earlier one may have missed transactions. */
  wholeRequestedAt: z.date().nullable(),
  /** The aggregator's IDs of unknown accounts whose transactions were skipped, oldest first. */
  skippedAccounts: z.array(z.string()),
})
export type Loop = z.infer<typeof Loop>

/** The fields that reading changes. */
export const loopFields = Loop.keyof().options

/** Returns the cursor of the page to read next; null for the first page of all transactions. */
export function nextCursorOf({ cursor, pageCursor, wholeLoopStartedAt }: Loop): string | null {
  return pageCursor ?? (wholeLoopStartedAt ? null : cursor)
}

/** Returns whether two positions are the same, so that the page that was read from one counts. */
export function isSamePosition(one: Loop, other: Loop): boolean {
  return (
    one.loopNumber === other.loopNumber &&
    one.cursor === other.cursor &&
    one.pageCursor === other.pageCursor &&
    one.wholeLoopStartedAt?.getTime() === other.wholeLoopStartedAt?.getTime()
  )
}

/**
 * Returns the position after a page. At the end of a loop, a whole loop begins if it is due: the
 * loop before has read the removals, which a whole loop does not list.
 */
export function passPage<State extends Loop>(
  loop: State,
  { nextCursor, hasMore }: { nextCursor: string; hasMore: boolean },
  now: Date,
): State {
  if (hasMore) return { ...loop, pageCursor: nextCursor }
  const { wholeLoopStartedAt, wholeRequestedAt } = loop
  const ended = { ...loop, cursor: nextCursor, pageCursor: null, wholeLoopStartedAt: null }
  if (wholeRequestedAt === null) return ended
  const isDone = wholeLoopStartedAt !== null && wholeRequestedAt <= wholeLoopStartedAt
  return isDone
    ? { ...ended, wholeRequestedAt: null }
    : { ...ended, loopNumber: loop.loopNumber + 1, wholeLoopStartedAt: now }
}

const skippedMax = 500

/** Notes accounts whose transactions a page had, and which are skipped because they are unknown. */
export function noteSkipped<State extends Loop>(loop: State, accountIds: readonly string[]): State {
  const all = new Set([...loop.skippedAccounts, ...accountIds])
  return { ...loop, skippedAccounts: [...all].slice(-skippedMax) }
}

/**
 * Requests a whole loop if transactions of an account were skipped that is known by now. An account
 * that stays unknown, because the user did not choose it, requests none.
 */
export function requestSkipped<State extends Loop>(
  loop: State,
  knownIds: readonly string[],
  now: Date,
): State {
  const known = new Set(knownIds)
  const skippedAccounts = loop.skippedAccounts.filter((id) => !known.has(id))
  if (skippedAccounts.length === loop.skippedAccounts.length) return loop
  return { ...loop, skippedAccounts, wholeRequestedAt: now }
}

/** Restarts the loop at its first page, because transactions have changed since that page. */
export function restartLoop<State extends Loop>(loop: State): State {
  return { ...loop, pageCursor: null, loopNumber: loop.loopNumber + 1 }
}

/** Restarts the loop without a cursor, because the aggregator does not know the cursor any more. */
export function restartWhole<State extends Loop>(loop: State, now: Date): State {
  return { ...restartLoop(loop), wholeLoopStartedAt: now }
}

/** Returns whether a loop runs whose end is not stored, so that there is a next page. */
export function isWithinLoop({ pageCursor, wholeLoopStartedAt }: Loop): boolean {
  return pageCursor !== null || wholeLoopStartedAt !== null
}
