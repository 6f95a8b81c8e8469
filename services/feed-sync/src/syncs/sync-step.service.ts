import type { JsonObject } from '@bufbuild/protobuf'
import { publishProgress } from '@coffer/kit/events/progress'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { isGone, type LedgerDeps } from '@coffer/sync-kit/ledger.client'
import type { SyncLoad } from '@coffer/sync-kit/sync-load.service'
import type { Step } from '@coffer/sync-kit/sync-step'
import { type FeedDeps, openFeed } from '../connections/feed.service.ts'
import { describeFault, type FeedFault, faultOf } from '../provider/feed-fault.ts'
import type { Feed } from '../provider/lunch-flow.client.ts'
import { findFeedSync } from './feed-sync.sql.ts'
import type { FeedSync } from './feed-sync.ts'
import type { Run } from './feed-sync-run.ts'

/** Dependencies of the activities of a sync. */
export type SyncDeps = FeedDeps &
  LedgerDeps &
  Pick<ServiceDeps, 'broker' | 'log'> & { load: SyncLoad }

// A call of the provider ends after 60 s (docs/limits.md): an answer that takes long is not
// requested twice.
const attemptMs = 60_000

/** The connection of a sync, and its client. */
export interface OpenedSync {
  sync: FeedSync
  feed: Feed
}

/** Pause in ms after 429 without Retry-After. */
const pauseMs = 30_000

/**
 * Runs a step of a sync with its connection. Faults of the provider are stored by `store`; the step
 * is gone if the link was deleted, the bank account archived, or another sync has begun. Throws
 * other errors, so that Temporal repeats the activity.
 */
export async function runStep<Result>(
  deps: SyncDeps,
  run: Run,
  of: {
    store: (fault: FeedFault) => Promise<void>
    work: (opened: OpenedSync) => Promise<Step<Result>>
  },
): Promise<Step<Result>> {
  const sync = await findFeedSync(deps.database, run)
  if (sync?.syncRunId !== run.runId || sync.status === 'deactivated') return { kind: 'gone' }
  try {
    return await of.work({ sync, feed: await openFeed(deps, sync, { attemptMs }) })
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null && isGone(error)) return { kind: 'gone' }
    if (fault === null) throw error
    await of.store(fault)
    if (fault.code !== 'rate-limited') return { kind: 'failed' }
    return { kind: 'wait', ms: fault.retryAfterMs ?? pauseMs }
  }
}

/** A bank account whose sockets receive frames of a sync. */
type Watched = Pick<Run, 'accountId' | 'runId'> & { bankAccountId: string }

/** Publishes the stage of a bank account's sync to its sockets (docs/banks/feed.md#progress). */
export function publishStatus(
  deps: Pick<ServiceDeps, 'broker'>,
  of: Watched,
  status: 'begin' | 'transactions' | 'balances' | 'complete',
): void {
  publish(deps, of, { status })
}

/** Publishes the end of a failed sync of a bank account, with the reason in words. */
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
