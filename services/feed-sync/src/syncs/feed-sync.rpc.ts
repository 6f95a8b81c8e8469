import { isLapsed } from '@coffer/kit/accounts/subscription.sql'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import {
  BankAccountSyncHealthSchema,
  type SyncHealth,
  SyncHealthSchema,
} from '@coffer/proto/sync/v1/health'
import { toArrival, toError, toFormerHealth } from '@coffer/sync-kit/syncs/sync-health'
import type { ServiceImpl } from '@connectrpc/connect'
import type { CandidateSync } from '../candidates/feed-bank-account.ts'
import { describeSyncFault } from '../provider/feed-fault.ts'
import { feedRequests } from './feed-requests.service.ts'
import { feedSyncs, listCandidatesEverUsed } from './feed-sync.sql.ts'
import { type FeedSync, isStopped, isUsed, type LastFault, nextAttemptOf } from './feed-sync.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** Returns the RPC handlers of syncs (docs/banks/feed.md#syncs). */
export function feedSyncRoutes({ database, clock }: Deps): ServiceImpl<typeof FeedSyncService> {
  const readHealth = async (key: { accountId: string; feedLinkId: string }) => {
    const sync = await feedSyncs.find(database, key)
    if (!sync) throw notFound('feed link')
    const candidates = await listCandidatesEverUsed(database, key)
    const isServed = !(await isLapsed(database, key.accountId, clock()))
    return toHealth(sync, { candidates, isServed })
  }
  return {
    requestFeedSync: async ({ feedLinkId, linkId }, context) => {
      const { accountId } = callerOf(context)
      const key = { accountId, feedLinkId, linkId }
      const of = { now: clock(), by: 'user' as const }
      await database.transaction((tx) => feedRequests.request(tx, key, of))
      return {}
    },
    getHealth: async ({ feedLinkId }, context) => {
      const { accountId } = callerOf(context)
      return { health: await readHealth({ accountId, feedLinkId }) }
    },
    // until 0.4: gateways of 0.2 call this in place of `getHealth`.
    getSyncHealth: async ({ feedLinkId }, context) => {
      const { accountId } = callerOf(context)
      return { health: toFormerHealth(await readHealth({ accountId, feedLinkId })) }
    },
  }
}

function toHealth(
  sync: FeedSync,
  { candidates, isServed }: { candidates: readonly CandidateSync[]; isServed: boolean },
): SyncHealth {
  const faulty = candidates.find((one) => isSameFault(one, sync))
  return toMessage(SyncHealthSchema, {
    linkId: sync.linkId ?? '',
    status: sync.status,
    isSyncing: sync.syncRunId !== null && sync.status !== 'deactivated',
    lastAttempt: sync.lastAttemptedUpdate,
    lastSuccess: sync.lastSuccessfulUpdate,
    nextAttempt: isServed && isUsed(sync) ? nextAttemptOf(sync) : null,
    failuresInRow: sync.failuresInRow,
    lastError: toFeedError(sync, isStopped(sync, faulty)),
    lastArrival: toArrival(sync),
    bankAccounts: candidates.map((one) => toBankAccount(one, isStopped(sync, one))),
  })
}

function isSameFault(one: LastFault, other: LastFault): boolean {
  const isSameTime = one.faultAt?.getTime() === other.faultAt?.getTime()
  return isSameTime && one.faultCode === other.faultCode
}

function toBankAccount(candidate: CandidateSync, isLeftOut: boolean) {
  return toMessage(BankAccountSyncHealthSchema, {
    ...candidate,
    bankAccountId: candidate.bankAccountId ?? '',
    lastSuccess: candidate.lastSyncedAt,
    lastError: toFeedError(candidate, isLeftOut),
  })
}

function toFeedError(last: LastFault, isEnded: boolean) {
  return toError(last, (fault) => describeSyncFault(fault, { isStopped: isEnded }))
}
