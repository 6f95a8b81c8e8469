import { createHash } from 'node:crypto'
import { refused } from '@coffer/kit/rpc/errors'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import { FeedLink } from '../links/feed-link.ts'

/** A feed connection with the state of its syncs. */
export const FeedSync = FeedLink.extend({
  /** When a sync was requested that has not begun; null if none. */
  requestedAt: z.date().nullable(),
  /** When the next scheduled sync is due; null if none is scheduled. */
  nextSyncAt: z.date().nullable(),
  /** ID and begin of the sync that runs; null if none runs. */
  syncRunId: z.string().nullable(),
  syncStartedAt: z.date().nullable(),
  /** Whether the sync that runs was requested. */
  syncIsManual: z.boolean(),
  failuresInRow: z.number(),
  faultAt: z.date().nullable(),
  /** Numbers of transactions of the last successful sync. */
  addedCount: z.number(),
  changedCount: z.number(),
  matchedCount: z.number(),
  removedCount: z.number(),
  skippedCount: z.number(),
})
export type FeedSync = z.infer<typeof FeedSync>

/** A feed connection and the link that uses it. */
export const FeedSyncKey = z.object({
  accountId: z.string(),
  linkId: z.string(),
  feedLinkId: z.string(),
})
export type FeedSyncKey = z.infer<typeof FeedSyncKey>

/** Numbers of transactions in a sync. */
export interface Tally {
  added: number
  changed: number
  /** Pending ones that were posted, and others that were recognized under a new ID. */
  matched: number
  removed: number
  skipped: number
}

/** How a sync ended. */
export type SyncOutcome =
  | { kind: 'complete'; tally: Tally }
  /** The activity that met the fault has stored it. */
  | { kind: 'failed' }
  /** The provider asks to wait, `untilMs` from now: no failure. */
  | { kind: 'postponed'; untilMs: number }
  /** Coffer could not finish it (the ledger or a database is away): no failure. */
  | { kind: 'unfinished' }
  /** The link was deleted: nothing is scheduled. */
  | { kind: 'gone' }

const minuteMs = 60_000
const syncMs = 6 * hourMs
const jitterMsMax = 20 * minuteMs
const manualMs = 30 * minuteMs
const postponedMsMax = dayMs
const unfinishedMs = 10 * minuteMs
// Pauses after the first four failures in a row: the fifth, over a day after the first, is final.
const pausesMs = [10 * minuteMs, hourMs, 6 * hourMs, 18 * hourMs]

/**
 * Returns the connection with a requested sync (docs/banks/feed.md#syncs). Throws refused for
 * one that is pending or deactivated, and with status 425 within 30 minutes of the last request of
 * a user. Requests of an operator have no such limit and do not count towards it.
 */
export function requestSync(
  sync: FeedSync,
  { now, isOperator }: { now: Date; isOperator: boolean },
): FeedSync {
  if (sync.status === 'deactivated') throw refused('the feed link is deactivated')
  if (sync.status === 'pending') throw refused('the feed link is pending: create a link with it')
  const requested = { ...sync, requestedAt: now, updatedAt: now }
  if (isOperator) return requested
  const waitMs = (sync.lastManualSync?.getTime() ?? 0) + manualMs - now.getTime()
  if (waitMs > 0) {
    throw refused(
      'the link was synced manually less than 30 minutes ago: repeat after Retry-After',
      { status: 425, retryAfterSeconds: Math.ceil(waitMs / 1000) },
    )
  }
  return { ...requested, lastManualSync: now }
}

/**
 * Begins a sync that is requested or due, or one that has not ended; null if there is none. The
 * last case is a repeat with the same ID, or a run that was lost: of a link, at most one run is
 * active. A scheduled sync stays due until it ends.
 */
export function beginSync(
  sync: FeedSync,
  { now, runId }: { now: Date; runId: string },
): { sync: FeedSync; isManual: boolean } | null {
  if (!isUsed(sync)) return null
  if (sync.syncRunId === runId) return { sync, isManual: sync.syncIsManual }
  const isUnfinished = sync.syncRunId !== null
  const isManual = sync.requestedAt !== null || (isUnfinished && sync.syncIsManual)
  if (!isManual && !isUnfinished && !isDue(sync, now)) return null
  const begun = {
    ...sync,
    requestedAt: null,
    syncRunId: runId,
    syncStartedAt: now,
    syncIsManual: isManual,
    lastAttemptedUpdate: now,
    updatedAt: now,
  }
  return { sync: begun, isManual }
}

/** Ends a sync; unchanged if it has ended or another one has begun. */
export function endSync(
  sync: FeedSync,
  { now, runId, outcome }: { now: Date; runId: string; outcome: SyncOutcome },
): FeedSync {
  if (sync.syncRunId !== runId) return sync
  const ended = {
    ...sync,
    syncRunId: null,
    syncStartedAt: null,
    syncIsManual: false,
    updatedAt: now,
  }
  if (!isUsed(sync) || outcome.kind === 'gone') return { ...ended, nextSyncAt: null }
  switch (outcome.kind) {
    case 'complete':
      return completed(ended, outcome.tally, nextOf(sync, now))
    case 'failed':
      return failed(ended, now)
    case 'postponed': {
      const fault = sync.faultCode === 'rate-limited' ? sync.faultDetail : null
      const code = { faultCode: 'rate-limited' as const, faultDetail: fault ?? '429' }
      const nextSyncAt = later(now, Math.min(outcome.untilMs, postponedMsMax))
      return { ...ended, ...code, faultAt: now, nextSyncAt }
    }
    case 'unfinished': {
      const nextSyncAt = later(now, unfinishedMs)
      // The request remains, because a link with status error has no schedule.
      const requestedAt = sync.syncIsManual ? (sync.requestedAt ?? now) : sync.requestedAt
      return { ...ended, ...internal, faultAt: now, nextSyncAt, requestedAt }
    }
  }
}

const internal = { faultCode: 'internal', faultDetail: '' } as const

/** Returns the spread of a link's syncs in ms, 0 to 20 minutes: links are not due all at once. */
export function jitterMsOf(linkId: string): number {
  return createHash('sha256').update(linkId).digest().readUInt32BE() % jitterMsMax
}

function isUsed({ status }: FeedSync): boolean {
  return status === 'active' || status === 'error'
}

function isDue({ status, nextSyncAt }: FeedSync, now: Date): boolean {
  return status === 'active' && nextSyncAt !== null && nextSyncAt <= now
}

/** Six hours from now; at once if a bank account was created after the sync began. */
function nextOf({ nextSyncAt, syncStartedAt, linkId }: FeedSync, now: Date): Date {
  const isNew = nextSyncAt !== null && syncStartedAt !== null && nextSyncAt > syncStartedAt
  return isNew && nextSyncAt <= now ? nextSyncAt : later(now, syncMs + jitterMsOf(linkId ?? ''))
}

function completed(ended: FeedSync, tally: Tally, nextSyncAt: Date): FeedSync {
  return {
    ...ended,
    status: 'active',
    nextSyncAt,
    lastSuccessfulUpdate: ended.updatedAt,
    failuresInRow: 0,
    faultCode: null,
    faultDetail: null,
    faultAt: null,
    addedCount: tally.added,
    changedCount: tally.changed,
    matchedCount: tally.matched,
    removedCount: tally.removed,
    skippedCount: tally.skipped,
  }
}

function failed(ended: FeedSync, now: Date): FeedSync {
  const failuresInRow = ended.failuresInRow + 1
  const pauseMs = pausesMs[failuresInRow - 1]
  const isScheduled = ended.status === 'active' && pauseMs !== undefined
  return {
    ...ended,
    status: isScheduled ? 'active' : 'error',
    nextSyncAt: isScheduled ? later(now, pauseMs) : null,
    failuresInRow,
  }
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}
