import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import type { Tally } from '@coffer/sync-kit/ledger/tally'
import {
  beginSync,
  endSync,
  requestSync,
  type SyncOutcome,
  type SyncPolicy,
  SyncState,
} from '@coffer/sync-kit/syncs/sync-state'
import { z } from 'zod'
import { AggregatorLink, isLive } from '../connections/aggregator-link.ts'
import { FaultCode } from '../provider/plaid-fault.ts'
import { hasUnreadable, Loop, nextLookAt } from './loop.ts'

/** The connection of a link with the state of its syncs. */
export const ItemSync = AggregatorLink.extend({
  ...Loop.shape,
  ...SyncState.shape,
  /** An unknown code, of a newer version of this service, is read as `internal`. */
  faultCode: FaultCode.nullable().catch('internal'),
  lastAccountSync: z.date().nullable(),
  /**
   * When a user or operator requested a sync that also reads the last days; null after such a sync.
   */
  windowRequestedAt: z.date().nullable(),
  /** Number of ended syncs. */
  syncCount: z.bigint(),
})
export type ItemSync = z.infer<typeof ItemSync>

/** Outcome of a sync of a link. */
export type ItemOutcome =
  | SyncOutcome
  /** The aggregator has not read the whole history from the institution yet. */
  | { kind: 'partial'; tally: Tally }
  /** Too early: there are no transactions yet, or they change while they are read. No failure. */
  | { kind: 'early'; code: 'not-ready' | 'mutated' }

/** Work that a sync has begun. */
export interface Begun {
  /** Whether the sync was requested, not only due. */
  isManual: boolean
  /** Whether the sync also reads the transactions of the last days. */
  hasWindow: boolean
}

const minuteMs = 60_000

const policy: Omit<SyncPolicy, 'periodMs'> = {
  jitterMsMax: 20 * minuteMs,
  pausesMs: [10 * minuteMs, hourMs, 6 * hourMs, 18 * hourMs],
  // Outages of the aggregator end without an action of the user: the schedule continues daily.
  lastPauseMs: dayMs,
}

/** Period of syncs if webhooks announce changes, and if not (polling). */
const periodMs = { announced: 48 * hourMs, polled: 12 * hourMs }

/**
 * Returns the link with a requested sync (docs/banks/aggregator.md#syncs). A request of a user or
 * operator also reads the last days, even if the service has requested a sync already. Throws
 * refused for a link that has ended, for a user's request unless the status is setup or error, and
 * in the cases of `requestSync`.
 */
export function requestItemSync(
  sync: ItemSync,
  of: { now: Date; by: 'user' | 'operator' | 'service' },
): ItemSync {
  if (!isLive(sync)) throw refused(say('LINK_NOT_READY'))
  const isValid = sync.status === 'setup' || sync.status === 'error'
  if (of.by === 'user' && !isValid) {
    throw refused(say('LINK_NOT_SYNCABLE'))
  }
  const requested = requestSync(sync, of)
  return of.by === 'service' ? requested : { ...requested, windowRequestedAt: of.now }
}

/** Begins a sync of a live link, like `beginSync`; null if no sync is requested or due. */
export function beginItemSync(
  sync: ItemSync,
  of: { now: Date; runId: string },
): ({ sync: ItemSync } & Begun) | null {
  if (!isLive(sync)) return null
  const begun = beginSync(sync, { ...of, isScheduled: sync.status !== 'revoked' })
  return begun && { ...begun, hasWindow: isWindowDue(begun.sync) }
}

/** Clears the request of the last days after the running sync has read them. */
export function endWindow(sync: ItemSync): ItemSync {
  return isWindowDue(sync) ? { ...sync, windowRequestedAt: null } : sync
}

/**
 * Returns whether the running sync has to read the last days. A request that came after its start
 * is left for the next sync.
 */
function isWindowDue({ windowRequestedAt, syncStartedAt }: ItemSync): boolean {
  return windowRequestedAt !== null && syncStartedAt !== null && windowRequestedAt <= syncStartedAt
}

/**
 * Ends the sync `runId`. Returns the same object if that sync has ended or another one has begun.
 */
export function endItemSync(
  sync: ItemSync,
  of: { now: Date; runId: string; outcome: ItemOutcome; isAnnounced: boolean },
): ItemSync {
  const { now, runId } = of
  const outcome: ItemOutcome = isLive(sync) ? of.outcome : { kind: 'gone' }
  const period = of.isAnnounced ? periodMs.announced : periodMs.polled
  const ended = endSync(sync, {
    now,
    runId,
    outcome: simpleOf(outcome),
    policy: { ...policy, periodMs: period },
    key: sync.linkId,
  })
  if (ended === sync) return sync
  return { ...ended, ...nextOf(sync, ended, { now, outcome }), syncCount: sync.syncCount + 1n }
}

/** Maps the outcomes of this service to those of sync-kit. */
function simpleOf(outcome: ItemOutcome): SyncOutcome {
  if (outcome.kind === 'partial') return { ...outcome, kind: 'complete' }
  return outcome.kind === 'early' ? { kind: 'unfinished' } : outcome
}

/**
 * Returns the fields that this service sets in addition to sync-kit: status, next sync and fault.
 */
function nextOf(
  sync: ItemSync,
  ended: ItemSync,
  { now, outcome }: { now: Date; outcome: ItemOutcome },
): Partial<ItemSync> {
  const status = ended.status === 'pending' ? 'setup' : ended.status
  switch (outcome.kind) {
    case 'complete':
      return { status, ...unreadableOf(ended, now) }
    case 'partial': {
      const early = isYoung(sync, now) ? { nextSyncAt: earlyRetryOf(sync, now) } : {}
      return { status, ...early, ...unreadableOf({ ...ended, ...early }, now) }
    }
    case 'early': {
      const { requestedAt } = sync
      const pauseMs = outcome.code === 'mutated' ? minuteMs : null
      const nextSyncAt = pauseMs ? new Date(now.getTime() + pauseMs) : earlyRetryOf(sync, now)
      return { requestedAt, nextSyncAt, faultCode: outcome.code, faultDetail: '' }
    }
    case 'failed':
      if (sync.status === 'revoked') return { nextSyncAt: null }
      return sync.status === 'error' ? { nextSyncAt: new Date(now.getTime() + dayMs) } : {}
    default:
      return {}
  }
}

/** Unreadable rows are stored as a fault, but are no failure: the next sync reads them again. */
function unreadableOf(ended: ItemSync, now: Date): Partial<ItemSync> {
  if (!hasUnreadable(ended)) return {}
  const fault = { faultCode: 'rows-unreadable' as const, faultDetail: '', faultAt: now }
  const { nextSyncAt } = ended
  const lookAt = nextLookAt(ended, now)
  const isEarlier = lookAt !== null && nextSyncAt !== null && lookAt < nextSyncAt
  return isEarlier ? { ...fault, nextSyncAt: lookAt } : fault
}

function isYoung({ createdAt }: ItemSync, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < dayMs
}

/**
 * Returns the next attempt: the pause equals the age of the link, 1 to 60 minutes, so that it grows
 * while the aggregator is not ready.
 */
function earlyRetryOf({ createdAt }: ItemSync, now: Date): Date {
  const ageMs = now.getTime() - createdAt.getTime()
  return new Date(now.getTime() + Math.min(Math.max(ageMs, minuteMs), hourMs))
}
