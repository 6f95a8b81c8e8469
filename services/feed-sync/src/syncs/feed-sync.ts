import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { hourMs } from '@coffer/kit/values/time'
import {
  beginSync,
  endSync,
  findNextAttempt,
  requestSync,
  type SyncOutcome,
  type SyncPolicy,
  SyncState,
} from '@coffer/sync-kit/syncs/sync-state'
import { z } from 'zod'
import type { CandidateSync } from '../candidates/feed-bank-account.ts'
import { FeedLink, StoredFaultCode } from '../connections/feed-link.ts'

/** A feed connection with the state of its syncs. */
export const FeedSync = FeedLink.extend({ ...SyncState.shape, faultCode: StoredFaultCode })
export type FeedSync = z.infer<typeof FeedSync>

/** A feed connection and the link that uses it. */
export const FeedSyncKey = z.object({
  accountId: z.string(),
  linkId: z.string(),
  feedLinkId: z.string(),
})
export type FeedSyncKey = z.infer<typeof FeedSyncKey>

const minuteMs = 60_000

const policy: SyncPolicy = {
  periodMs: 6 * hourMs,
  jitterMsMax: 20 * minuteMs,
  // The fifth failure in a row, over a day after the first, ends the schedule. It can come earlier
  // only by new bank accounts, which are synced at once.
  pausesMs: [10 * minuteMs, hourMs, 6 * hourMs, 18 * hourMs],
  lastPauseMs: null,
}

/**
 * Returns the connection with a requested sync (docs/banks/feed.md#syncs). Throws refused for a
 * pending or deactivated connection, and in the cases of `requestSync`.
 */
export function requestFeedSync(
  sync: FeedSync,
  of: { now: Date; by: 'user' | 'operator' | 'service' },
): FeedSync {
  if (sync.status === 'deactivated') throw refused(say('FEED_LINK_OFF'))
  if (sync.status === 'pending') throw refused(say('FEED_LINK_UNUSED'))
  return requestSync(sync, of)
}

/**
 * Returns the next attempt of a sync: the earlier of the schedule, if it is active, and a request.
 */
export function nextAttemptOf({ status, nextSyncAt, requestedAt }: FeedSync): Date | null {
  return findNextAttempt({ nextSyncAt: status === 'active' ? nextSyncAt : null, requestedAt })
}

/** Begins a sync of a connection in use, like `beginSync`; null if no sync is requested or due. */
export function beginFeedSync(
  sync: FeedSync,
  of: { now: Date; runId: string },
): { sync: FeedSync; isManual: boolean } | null {
  return isUsed(sync) ? beginSync(sync, { ...of, isScheduled: sync.status === 'active' }) : null
}

/** The last fault of a connection, or of a candidate (a bank account that it offers). */
export type LastFault = Pick<FeedSync, 'faultCode' | 'faultDetail' | 'faultAt'>

const noFault: LastFault = { faultCode: null, faultDetail: null, faultAt: null }

/**
 * Ends a sync. Returns the same object if the sync has already ended or another one has begun.
 * `used`: the faults of the candidates in use. If the provider could be read, the newest of them
 * becomes the fault of the connection.
 */
export function endFeedSync(
  sync: FeedSync,
  of: { now: Date; runId: string; outcome: SyncOutcome; used: readonly LastFault[] },
): FeedSync {
  const outcome: SyncOutcome = isUsed(sync) ? of.outcome : { kind: 'gone' }
  const ended = endSync(sync, { ...of, outcome, policy, key: sync.linkId ?? '' })
  if (ended === sync) return sync
  if (outcome.kind === 'complete') return { ...ended, ...lastOf(of.used), status: 'active' }
  if (outcome.kind === 'unsynced') return { ...ended, ...lastOf(of.used) }
  const isFinal = outcome.kind === 'failed' && ended.nextSyncAt === null
  return isFinal ? { ...ended, status: 'error' } : ended
}

/**
 * Returns whether syncs have stopped after faults of a connection or candidate: none runs until one
 * is requested.
 */
export function isStopped(
  { status, requestedAt }: Pick<FeedSync, 'status' | 'requestedAt'>,
  candidate?: Pick<CandidateSync, 'status'>,
): boolean {
  return requestedAt === null && (status === 'error' || candidate?.status === 'error')
}

function lastOf(faults: readonly LastFault[]): LastFault {
  const last = faults.reduce((one, other) => (msOf(other) > msOf(one) ? other : one), noFault)
  const { faultCode, faultDetail, faultAt } = last
  return { faultCode, faultDetail, faultAt }
}

function msOf({ faultCode, faultAt }: LastFault): number {
  return faultCode === null || faultAt === null ? 0 : faultAt.getTime()
}

/** Returns whether syncs of a connection may run, at least on request. */
export function isUsed({ status }: FeedSync): boolean {
  return status === 'active' || status === 'error'
}

/** Number of missing transactions up to which a list is accepted in any case. */
const missingAllowed = 100

/** Returns whether a list lacks more than 100 known transactions, and more than half of them. */
export function lacksMost(missing: number, known: number): boolean {
  return missing > missingAllowed && missing * 2 > known
}
