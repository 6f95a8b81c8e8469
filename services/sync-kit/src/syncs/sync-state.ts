import { createHash } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { dayMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import type { Tally } from '../ledger/tally.ts'

/** The state of a link's syncs, as columns of the table of links. */
export const SyncState = z.object({
  /** When a user last requested a sync. */
  lastManualSync: z.date().nullable(),
  lastSuccessfulUpdate: z.date().nullable(),
  lastAttemptedUpdate: z.date().nullable(),
  /**
   * When a sync was requested, or when a postponed one may begin again. Null if none was requested,
   * and once the sync has begun.
   */
  requestedAt: z.date().nullable(),
  /** When the next scheduled sync is due; null if none is scheduled. */
  nextSyncAt: z.date().nullable(),
  /** ID and start of the running sync; null if none is running. */
  syncRunId: z.string().nullable(),
  syncStartedAt: z.date().nullable(),
  /** Whether the running sync was requested. */
  syncIsManual: z.boolean(),
  failuresInRow: z.number(),
  /** The fault of the last sync, kept until the next success; `faultDetail` completes its text. */
  faultCode: z.string().nullable(),
  faultDetail: z.string().nullable(),
  faultAt: z.date().nullable(),
  /** Numbers of transactions of the last successful sync. */
  addedCount: z.number(),
  changedCount: z.number(),
  matchedCount: z.number(),
  removedCount: z.number(),
  skippedCount: z.number(),
  updatedAt: z.date(),
})
export type SyncState = z.infer<typeof SyncState>

/** The fields that a request, a begin or an end of a sync changes. */
export const syncFields = SyncState.keyof().options

/** Outcome of a sync. */
export type SyncOutcome =
  | { kind: 'complete'; tally: Tally }
  /** Failure; the activity that met the fault has stored it. */
  | { kind: 'failed' }
  /**
   * Neither success nor failure: every bank account has a problem of its own, so none was synced.
   */
  | { kind: 'unsynced' }
  /** No failure: the provider asks to wait; `untilMs` is the pause from now. */
  | { kind: 'postponed'; untilMs: number }
  /** No failure: the ledger or a database is away. */
  | { kind: 'unfinished' }
  /** The link was deleted: no sync is scheduled. */
  | { kind: 'gone' }

/** Times of a schedule, in ms. */
export interface SyncPolicy {
  periodMs: number
  /** Maximum jitter of a link. It is derived from its ID, so that links are not due all at once. */
  jitterMsMax: number
  /** Pauses after the first failures in a row. */
  pausesMs: readonly number[]
  /** Pause after each further failure; null: these failures end the schedule. */
  lastPauseMs: number | null
}

const manualMs = 30 * 60_000
const postponedMs = { min: 60_000, max: dayMs }
const unfinishedMs = 10 * 60_000

/**
 * Returns the state with a requested sync. Throws refused with status 425 within 30 minutes of the
 * last request of a user; other requests have no such limit and do not count towards it.
 */
export function requestSync<State extends SyncState>(
  sync: State,
  { now, by }: { now: Date; by: 'user' | 'operator' | 'service' },
): State {
  const requested = { ...sync, requestedAt: now, updatedAt: now }
  if (by !== 'user') return requested
  const waitMs = (sync.lastManualSync?.getTime() ?? 0) + manualMs - now.getTime()
  if (waitMs > 0) {
    throw refused(say('SYNCED_LATELY'), {
      status: 425,
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    })
  }
  return { ...requested, lastManualSync: now }
}

/**
 * Begins a sync that was requested, or is due if `isScheduled`, or resumes one that has not ended;
 * null if there is none. A sync that has not ended is a repeated call with the same ID, or a run
 * that was lost: each link has at most one active run. A scheduled sync stays due until it ends.
 */
export function beginSync<State extends SyncState>(
  sync: State,
  { now, runId, isScheduled }: { now: Date; runId: string; isScheduled: boolean },
): { sync: State; isManual: boolean } | null {
  if (sync.syncRunId === runId) return { sync, isManual: sync.syncIsManual }
  const isUnfinished = sync.syncRunId !== null
  // `requestedAt` of a postponed sync is in the future, so the sync begins only after its pause.
  const isRequested = sync.requestedAt !== null && sync.requestedAt <= now
  const isManual = isRequested || (isUnfinished && sync.syncIsManual)
  const isDue = isScheduled && sync.nextSyncAt !== null && sync.nextSyncAt <= now
  if (!isManual && !isUnfinished && !isDue) return null
  const begun = {
    ...sync,
    requestedAt: isRequested ? null : sync.requestedAt,
    syncRunId: runId,
    syncStartedAt: now,
    syncIsManual: isManual,
    lastAttemptedUpdate: now,
    updatedAt: now,
  }
  return { sync: begun, isManual }
}

/**
 * Ends a sync. Returns the same object if the sync has already ended or another one has begun.
 * `key`: the link's ID, for the jitter. If failures ended the schedule, `nextSyncAt` is null, and
 * the service sets the link's status.
 */
export function endSync<State extends SyncState>(
  sync: State,
  of: { now: Date; runId: string; outcome: SyncOutcome; policy: SyncPolicy; key: string },
): State {
  const { now, runId, outcome, policy } = of
  if (sync.syncRunId !== runId) return sync
  const ended = {
    ...sync,
    syncRunId: null,
    syncStartedAt: null,
    syncIsManual: false,
    updatedAt: now,
  }
  switch (outcome.kind) {
    case 'complete': {
      const { added, changed, matched, removed, skipped } = outcome.tally
      return {
        ...ended,
        nextSyncAt: nextOf(sync, of),
        lastSuccessfulUpdate: now,
        failuresInRow: 0,
        faultCode: null,
        faultDetail: null,
        faultAt: null,
        addedCount: added,
        changedCount: changed,
        matchedCount: matched,
        removedCount: removed,
        skippedCount: skipped,
      }
    }
    case 'failed': {
      // A failed request counts only as the first failure, so that requests cannot end the
      // schedule.
      const isFirst = sync.failuresInRow === 0 || sync.nextSyncAt === null
      if (sync.syncIsManual && !isFirst && policy.lastPauseMs === null) return ended
      const failuresInRow = ended.failuresInRow + 1
      const pauseMs = policy.pausesMs[failuresInRow - 1] ?? policy.lastPauseMs
      return { ...ended, nextSyncAt: pauseMs === null ? null : later(now, pauseMs), failuresInRow }
    }
    case 'unsynced':
      return { ...ended, nextSyncAt: nextOf(sync, of) }
    case 'postponed': {
      const said = sync.faultCode === 'rate-limited' ? sync.faultDetail : null
      const fault = { faultCode: 'rate-limited', faultDetail: said ?? '429', faultAt: now }
      const pauseMs = Math.max(outcome.untilMs, postponedMs.min)
      const at = later(now, Math.min(pauseMs, postponedMs.max))
      const requestedAt = sync.syncIsManual ? at : sync.requestedAt
      return { ...ended, ...fault, nextSyncAt: later(at, 0, sync.nextSyncAt), requestedAt }
    }
    case 'unfinished': {
      const nextSyncAt = later(now, unfinishedMs, sync.nextSyncAt)
      // Keeps the request of a manual sync, because a link without a schedule would never repeat
      // it.
      const requestedAt = sync.syncIsManual ? (sync.requestedAt ?? now) : sync.requestedAt
      const fault = { faultCode: 'internal', faultDetail: '', faultAt: now }
      return { ...ended, ...fault, nextSyncAt, requestedAt }
    }
    case 'gone':
      return { ...ended, nextSyncAt: null }
  }
}

/** Returns the next attempt of a sync: the earlier of its schedule and its request. */
export function findNextAttempt({
  nextSyncAt,
  requestedAt,
}: Pick<SyncState, 'nextSyncAt' | 'requestedAt'>): Date | null {
  if (nextSyncAt === null || requestedAt === null) return nextSyncAt ?? requestedAt
  return requestedAt < nextSyncAt ? requestedAt : nextSyncAt
}

/**
 * Returns when the next scheduled sync is due: after a period and the jitter of the link. Keeps an
 * instant that was set since the sync began and has passed: a bank account that was created
 * meanwhile needs a sync at once.
 */
function nextOf(
  { nextSyncAt, syncStartedAt }: SyncState,
  { now, policy, key }: { now: Date; policy: SyncPolicy; key: string },
): Date {
  const isNew = nextSyncAt !== null && syncStartedAt !== null && nextSyncAt > syncStartedAt
  if (isNew && nextSyncAt <= now) return nextSyncAt
  const hash = createHash('sha256').update(key).digest().readUInt32BE()
  return later(now, policy.periodMs + (hash % policy.jitterMsMax))
}

/**
 * Returns the later of `ms` from now and `nextSyncAt`: a requested sync does not shorten a pause.
 */
function later(now: Date, ms: number, nextSyncAt: Date | null = null): Date {
  return new Date(Math.max(now.getTime() + ms, nextSyncAt?.getTime() ?? 0))
}
