import { dayMs, hourMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import type { ChangePage } from '../provider/aggregator.ts'

/**
 * The position of a link's syncs in the changes of its item. A loop reads all pages of changes from
 * a cursor to the end, whose cursor begins the next loop. A whole loop begins without a cursor, and
 * reads all transactions.
 */
export const Loop = z.object({
  /** Cursor of the first page of the loop; null before the first loop. */
  cursor: z.string().nullable(),
  /** Cursor of the next page of the running loop; null at its first page. */
  pageCursor: z.string().nullable(),
  /** Incremented when a loop is restarted. */
  loopNumber: z.number(),
  /** Start of the running whole loop; null in other loops. */
  wholeLoopStartedAt: z.date().nullable(),
  /** Since when a whole loop is due, because an earlier one may have missed transactions. */
  wholeRequestedAt: z.date().nullable(),
  /** The aggregator's IDs of unknown accounts whose transactions were skipped, oldest first. */
  skippedAccounts: z.array(z.string()),
  /** Whether the running loop has met an unreadable row. */
  loopIsIncomplete: z.boolean(),
  /**
   * The aggregator's IDs of pending transactions that unreadable rows of the loop replace. An empty
   * text stands for any pending transaction.
   */
  awaitedPending: z.array(z.string()),
  /**
   * End of the first loop with unreadable rows, since which syncs read it again from the same
   * cursor; null if no loop is repeated for such rows.
   */
  incompleteSince: z.date().nullable(),
  /** When a whole loop reads unreadable rows of earlier loops again; null if there are none. */
  rereadAt: z.date().nullable(),
})
export type Loop = z.infer<typeof Loop>

/** The fields that reading pages changes. */
export const loopFields = Loop.keyof().options

/** Returns the cursor of the page to read next; null for the first page of all transactions. */
export function nextCursorOf({ cursor, pageCursor, wholeLoopStartedAt }: Loop): string | null {
  return pageCursor ?? (wholeLoopStartedAt ? null : cursor)
}

/** Returns whether two positions are equal, so that a page read from one is valid at the other. */
export function isSamePosition(one: Loop, other: Loop): boolean {
  return (
    one.loopNumber === other.loopNumber &&
    one.cursor === other.cursor &&
    one.pageCursor === other.pageCursor &&
    one.wholeLoopStartedAt?.getTime() === other.wholeLoopStartedAt?.getTime()
  )
}

const awaitedMax = 500

/** Marks the running loop as incomplete if a page has unreadable rows. */
export function noteUnreadable<State extends Loop>(
  loop: State,
  { unreadable, awaited }: Pick<ChangePage, 'unreadable' | 'awaited'>,
): State {
  if (unreadable === 0) return loop
  const all = [...new Set([...loop.awaitedPending, ...awaited])]
  const awaitedPending = all.length > awaitedMax ? [anyPending] : all
  return { ...loop, loopIsIncomplete: true, awaitedPending }
}

const anyPending = ''

/** Returns whether an unreadable row of the running loop may be the posting of a transaction. */
export function isAwaited({ awaitedPending }: Pick<Loop, 'awaitedPending'>, id: string): boolean {
  return awaitedPending.includes(id) || awaitedPending.includes(anyPending)
}

/**
 * Returns the position after a page. A whole loop that is due begins only at the end of another
 * loop, which has then read the removals that a whole loop does not list. Holds an incomplete loop
 * (`isHeld`): its cursor stays for a day, so that syncs read its rows again.
 */
export function passPage<State extends Loop>(
  loop: State,
  page: Pick<ChangePage, 'nextCursor' | 'hasMore' | 'unreadable' | 'awaited'>,
  now: Date,
): State {
  const { nextCursor, hasMore } = page
  const noted = noteUnreadable(loop, page)
  if (hasMore) return { ...noted, pageCursor: nextCursor }
  const isWhole = loop.wholeLoopStartedAt !== null
  const complete = { loopIsIncomplete: false, awaitedPending: [], incompleteSince: null }
  if (!noted.loopIsIncomplete) {
    const rereadAt = isWhole ? null : loop.rereadAt
    return beginDue({ ...loop, ...complete, rereadAt, cursor: nextCursor }, now)
  }
  const since = loop.incompleteSince ?? now
  const isHeld = !isWhole && loop.wholeRequestedAt === null && !isOver(since, now)
  if (isHeld) return { ...restartLoop(loop), ...complete, incompleteSince: since }
  const rereadAt = new Date(now.getTime() + dayMs)
  const wholeRequestedAt = loop.wholeRequestedAt ?? (isWhole ? null : now)
  return beginDue({ ...loop, ...complete, rereadAt, wholeRequestedAt, cursor: nextCursor }, now)
}

function isOver(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= dayMs
}

/** Returns the position after the end of a loop; begins a whole loop if one is due. */
function beginDue<State extends Loop>(loop: State, now: Date): State {
  const { wholeLoopStartedAt, wholeRequestedAt } = loop
  const ended = { ...loop, pageCursor: null, wholeLoopStartedAt: null }
  if (wholeRequestedAt === null) return ended
  const isDone = wholeLoopStartedAt !== null && wholeRequestedAt <= wholeLoopStartedAt
  return isDone
    ? { ...ended, wholeRequestedAt: null }
    : { ...ended, loopNumber: loop.loopNumber + 1, wholeLoopStartedAt: now }
}

/** Returns whether a loop has ended incomplete, so that syncs read it again from its cursor. */
export function isHeld(loop: Loop): boolean {
  return loop.incompleteSince !== null && !isWithinLoop(loop)
}

/** Returns whether unreadable rows have been left out. */
export function hasUnreadable({ incompleteSince, rereadAt }: Loop): boolean {
  return incompleteSince !== null || rereadAt !== null
}

const heldMs = { min: 10 * 60_000, max: 6 * hourMs }

/**
 * Returns when the next sync reads unreadable rows again; null if there are none. Backoff: a held
 * loop pauses for as long as it has been held, 10 minutes to 6 hours.
 */
export function nextLookAt({ incompleteSince, rereadAt }: Loop, now: Date): Date | null {
  if (incompleteSince === null) return rereadAt
  const ageMs = now.getTime() - incompleteSince.getTime()
  return new Date(now.getTime() + Math.min(Math.max(ageMs, heldMs.min), heldMs.max))
}

/** Once it is due, requests a whole loop that reads unreadable rows of earlier loops again. */
export function requestReread<State extends Loop>(loop: State, now: Date): State {
  const isDue = loop.rereadAt !== null && loop.rereadAt <= now
  return isDue ? { ...loop, wholeRequestedAt: loop.wholeRequestedAt ?? now } : loop
}

const skippedMax = 500

/** Stores unknown accounts, whose transactions on a page are skipped. */
export function noteSkipped<State extends Loop>(loop: State, accountIds: readonly string[]): State {
  const all = new Set([...loop.skippedAccounts, ...accountIds])
  return { ...loop, skippedAccounts: [...all].slice(-skippedMax) }
}

/**
 * Requests a whole loop if an account with skipped transactions is known by now. An account that
 * stays unknown, because the user did not choose it, causes no request.
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

/** Restarts the loop at its first page, because transactions have changed since it was read. */
export function restartLoop<State extends Loop>(loop: State): State {
  return { ...loop, pageCursor: null, loopNumber: loop.loopNumber + 1 }
}

/** Restarts the loop without a cursor, because the aggregator no longer knows the cursor. */
export function restartWhole<State extends Loop>(loop: State, now: Date): State {
  return { ...restartLoop(loop), wholeLoopStartedAt: now }
}

/** Returns whether a loop is running, so that there is a next page. */
export function isWithinLoop({ pageCursor, wholeLoopStartedAt }: Loop): boolean {
  return pageCursor !== null || wholeLoopStartedAt !== null
}
