import type { JsonObject } from '@bufbuild/protobuf'
import { publishProgress } from '@coffer/kit/events/progress'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { LedgerDeps } from '@coffer/sync-kit/ledger/ledger.client'
import type { SyncLoad } from '@coffer/sync-kit/syncs/sync-load.service'
import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { runStep } from '@coffer/sync-kit/syncs/sync-step.service'
import { type FeedDeps, openFeed } from '../connections/feed.service.ts'
import { describeFault, type FeedFault, faultOf } from '../provider/feed-fault.ts'
import type { Feed } from '../provider/lunch-flow.client.ts'
import { feedSyncs } from './feed-sync.sql.ts'
import type { FeedSync } from './feed-sync.ts'
import type { Run } from './feed-sync-run.ts'

/** Dependencies of the activities of a sync. */
export type SyncDeps = FeedDeps &
  LedgerDeps &
  Pick<ServiceDeps, 'broker' | 'log'> & { load: SyncLoad }

// Timeout of an attempt, equal to that of the whole call (docs/limits.md), so that a slow answer is
// not requested twice.
const attemptMs = 60_000

/** The connection of a sync, and the client of its provider. */
export interface OpenedSync {
  sync: FeedSync
  feed: Feed
}

/** Runs a step of a sync with its connection (`runStep` of sync-kit); `store` saves a fault. */
export function runFeedStep<Result>(
  deps: SyncDeps,
  run: Run,
  of: {
    store: (fault: FeedFault) => Promise<void>
    work: (opened: OpenedSync) => Promise<Step<Result>>
  },
): Promise<Step<Result>> {
  return runStep(deps.database, {
    store: feedSyncs,
    run,
    isLive: ({ status }) => status !== 'deactivated',
    faultOf,
    storeFault: of.store,
    work: async (sync) => of.work({ sync, feed: await openFeed(deps, sync, { attemptMs }) }),
  })
}

/** A bank account whose sockets receive the progress of a sync. */
type Watched = Pick<Run, 'accountId' | 'runId'> & { bankAccountId: string }

/** Publishes the stage of a bank account's sync to its sockets (docs/banks/feed.md#progress). */
export function publishStatus(
  deps: Pick<ServiceDeps, 'broker'>,
  of: Watched,
  status: 'begin' | 'transactions' | 'balances' | 'complete',
): void {
  publish(deps, of, { status })
}

/** Publishes the end of a failed sync of a bank account, with a text of the reason. */
export function publishError(
  deps: Pick<ServiceDeps, 'broker'>,
  of: Watched,
  fault: Pick<FeedFault, 'code' | 'detail'>,
): void {
  publish(deps, of, { status: 'error', error: describeFault(fault).text })
}

function publish(
  { broker }: Pick<ServiceDeps, 'broker'>,
  { accountId, bankAccountId, runId }: Watched,
  frame: JsonObject,
): void {
  const of = { accountId, id: bankAccountId }
  publishProgress(broker, of, { bankAccountId, run: runId, ...frame })
}
