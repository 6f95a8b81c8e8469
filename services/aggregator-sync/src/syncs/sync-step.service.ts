import { publishProgress } from '@coffer/kit/events/progress'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { LedgerDeps } from '@coffer/sync-kit/ledger/ledger.client'
import type { SyncLoad } from '@coffer/sync-kit/syncs/sync-load.service'
import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { runStep } from '@coffer/sync-kit/syncs/sync-step.service'
import type { settings } from '../config.ts'
import { isLive } from '../connections/aggregator-link.ts'
import { applyStatement } from '../connections/link-status.ts'
import { openItem } from '../connections/open-item.service.ts'
import type { Aggregator, CallBy, OpenAggregator, OpenItem } from '../provider/aggregator.ts'
import { faultOf, linkStatusAfter, type PlaidFault } from '../provider/plaid-fault.ts'
import { changeRunning, itemSyncs } from './item-sync.sql.ts'
import type { ItemSync } from './item-sync.ts'
import type { Run } from './item-sync-run.ts'

/** Dependencies of the activities of a sync. */
export type SyncDeps = LedgerDeps &
  Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'broker' | 'secrets' | 'log'> & {
    load: SyncLoad
    openAggregator: OpenAggregator
  }

/** The link of a sync, and its item. */
export interface OpenedSync {
  sync: ItemSync
  item: OpenItem
  aggregator: Aggregator
}

// Timeout of a call in ms. Plaid answers most calls within seconds, but the first page of a new
// item may take longer.
const callMs = 60_000

/** Returns the deadline of a call of a sync. */
export function callBy(): CallBy {
  return { signal: AbortSignal.timeout(2 * callMs), timeoutMs: callMs }
}

/** Runs a step of a sync with its item (`runStep` of sync-kit). */
export function runItemStep<Result>(
  deps: SyncDeps,
  run: Run,
  work: (opened: OpenedSync) => Promise<Step<Result>>,
): Promise<Step<Result>> {
  return runStep(deps.database, {
    store: itemSyncs,
    run,
    isLive,
    faultOf,
    storeFault: (fault) => storeFault(deps, run, fault),
    work: async (sync) => {
      const item = await openItem(deps, run)
      if (!item) throw new Error(`the link ${run.linkId} has no access token`)
      return work({ sync, item, aggregator: await deps.openAggregator() })
    },
  })
}

/** Stores the fault of a sync, and the status of the link if the fault changes it. */
async function storeFault(
  { database, clock }: SyncDeps,
  run: Run,
  { code, detail }: PlaidFault,
): Promise<void> {
  const now = clock()
  const kind = linkStatusAfter(code)
  await database.transaction((tx) =>
    changeRunning(tx, run, (sync) => {
      const faulty = { ...sync, faultCode: code, faultDetail: detail, faultAt: now }
      return kind ? applyStatement(faulty, { kind, code: detail, asOf: now }, now) : faulty
    }),
  )
}

/** Publishes to clients that wait for the set-up of a link that its status has changed. */
export function publishStatus(
  { broker }: Pick<ServiceDeps, 'broker'>,
  { before, after }: { before: ItemSync; after: ItemSync },
): void {
  const { accountId, linkId, status } = after
  if (status === before.status) return
  publishProgress(broker, { accountId, id: linkId }, { linkId, status })
}
