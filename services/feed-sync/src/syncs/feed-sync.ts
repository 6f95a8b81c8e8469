import { refused } from '@coffer/kit/rpc/errors'
import {
  beginSync,
  endSync,
  requestSync,
  type SyncOutcome,
  type SyncPolicy,
  SyncState,
} from '@coffer/kit/syncs/sync-state'
import { hourMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import { FeedLink, StoredFaultCode } from '../links/feed-link.ts'

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
  // The fifth failure in a row, over a day after the first, is final. Only new bank accounts, which
  // are synced at once, bring it sooner.
  pausesMs: [10 * minuteMs, hourMs, 6 * hourMs, 18 * hourMs],
  lastPauseMs: null,
}

/**
 * Returns the connection with a requested sync (docs/banks/feed.md#syncs). Throws refused for
 * one that is pending or deactivated, and like `requestSync`.
 */
export function requestFeedSync(
  sync: FeedSync,
  of: { now: Date; by: 'user' | 'operator' },
): FeedSync {
  if (sync.status === 'deactivated') throw refused('the feed link is deactivated')
  if (sync.status === 'pending') throw refused('the feed link is pending: create a link with it')
  return requestSync(sync, of)
}

/** Begins a sync of a connection in use, like `beginSync`; null if there is none. */
export function beginFeedSync(
  sync: FeedSync,
  of: { now: Date; runId: string },
): { sync: FeedSync; isManual: boolean } | null {
  return isUsed(sync) ? beginSync(sync, { ...of, isScheduled: sync.status === 'active' }) : null
}

/** Ends a sync; the same object if it has ended or another one has begun. */
export function endFeedSync(
  sync: FeedSync,
  of: { now: Date; runId: string; outcome: SyncOutcome },
): FeedSync {
  const outcome: SyncOutcome = isUsed(sync) ? of.outcome : { kind: 'gone' }
  const ended = endSync(sync, { ...of, outcome, policy, key: sync.linkId ?? '' })
  if (ended === sync) return sync
  if (outcome.kind === 'complete') return { ...ended, status: 'active' }
  const isFinal = outcome.kind === 'failed' && ended.nextSyncAt === null
  return isFinal ? { ...ended, status: 'error' } : ended
}

function isUsed({ status }: FeedSync): boolean {
  return status === 'active' || status === 'error'
}
