import { dayMs, hourMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import type { ChangePage } from '../provider/aggregator.ts'

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
  /** Whether the loop that runs has met a row that could not be read. */
  loopIsIncomplete: z.boolean(),
  /**
   * The aggregator's IDs of pending transactions that unreadable rows of the loop replace; an empty
   * one stands for any.
   */
  awaitedPending: z.array(z.string()),
  /** Since when the loop is read again from the same cursor; null if its last end was complete. */
  incompleteSince: z.date().nullable(),
  /** When a whole loop reads unreadable rows of earlier loops again; null if there are none. */
  rereadAt: z.date().nullable(),
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

const awaitedMax = 500

/** Notes that a page of the loop that runs has rows that could not be read, if it has any. */
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

/** Returns whether an unreadable row of the loop that runs is the posting of a transaction. */
export function isAwaited({ awaitedPending }: Pick<Loop, 'awaitedPending'>, id: string): boolean {
  return awaitedPending.includes(id) || awaitedPending.includes(anyPending)
}

/**
 * Returns the position after a page. At the end of a loop, a whole loop begins if it is due: the
 * loop before has read the removals, which a whole loop does not list. An incomplete loop is held
 * (`isHeld`): its cursor stays for a day.
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

/** Returns the position after the end of a loop: that of the whole loop that is due, if one is. */
function beginDue<State extends Loop>(loop: State, now: Date): State {
  const { wholeLoopStartedAt, wholeRequestedAt } = loop
  const ended = { ...loop, pageCursor: null, wholeLoopStartedAt: null }
  if (wholeRequestedAt === null) return ended
  const isDone = wholeLoopStartedAt !== null && wholeRequestedAt <= wholeLoopStartedAt
  return isDone
    ? { ...ended, wholeRequestedAt: null }
    : { ...ended, loopNumber: loop.loopNumber + 1, wholeLoopStartedAt: now }
}

/** Returns whether a loop has ended incomplete, and is read again from its cursor. */
export function isHeld(loop: Loop): boolean {
  return loop.incompleteSince !== null && !isWithinLoop(loop)
}

/** Returns whether rows are left out that could not be read. */
export function hasUnreadable({ incompleteSince, rereadAt }: Loop): boolean {
  return incompleteSince !== null || rereadAt !== null
}

const heldMs = { min: 10 * 60_000, max: 6 * hourMs }

/**
 * Returns when the next sync looks for unreadable rows again: of a held loop after a pause as long
 * as it is held, 10 minutes to 6 hours; null if there are none.
 */
export function nextLookAt({ incompleteSince, rereadAt }: Loop, now: Date): Date | null {
  if (incompleteSince === null) return rereadAt
  const ageMs = now.getTime() - incompleteSince.getTime()
  return new Date(now.getTime() + Math.min(Math.max(ageMs, heldMs.min), heldMs.max))
}

/** Requests the whole loop that reads unreadable rows of earlier loops again, once it is due. */
export function requestReread<State extends Loop>(loop: State, now: Date): State {
  const isDue = loop.rereadAt !== null && loop.rereadAt <= now
  return isDue ? { ...loop, wholeRequestedAt: loop.wholeRequestedAt ?? now } : loop
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
