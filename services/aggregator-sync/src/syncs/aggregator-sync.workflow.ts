import { runPerStart } from '@coffer/kit/workflows/repeated-run'
import { isStepFailure, syncActivities } from '@coffer/sync-kit/workflows/sync-workflow'
import { continueAsNew, sleep } from '@temporalio/workflow'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { itemSyncActivities } from './item-sync.activities.ts'
import { type ItemSyncSteps, runItemSync } from './item-sync-run.ts'
import type { pageActivities } from './page.activities.ts'

type Activities = ReturnType<typeof itemSyncActivities> & ReturnType<typeof pageActivities>

/**
 * Syncs one aggregator link (docs/banks/aggregator.md#syncs). The workflow ID
 * `aggregator-sync/<linkId>` prevents concurrent syncs of a link. A start during a sync runs
 * another sync afterwards, if there is work.
 */
export async function syncAggregatorLink(key: LinkKey, isContinued = false): Promise<void> {
  const steps = createSteps()
  const again = () => continueAsNew<typeof syncAggregatorLink>(key, true)
  await runPerStart((runId) => runItemSync(steps, { ...key, runId }, sleep), { isContinued, again })
}

/**
 * Returns the activities as steps. Each one is written out, because the proxy of activities has no
 * keys that could be copied.
 */
function createSteps(): ItemSyncSteps {
  const workTimeout = '15 minutes'
  const { states, work } = syncActivities<Activities>('aggregator-sync', { workTimeout })
  return {
    beginAggregatorSync: (run) => states.beginAggregatorSync(run),
    syncItem: (run) => work.syncItem(run),
    importPages: (run) => work.importPages(run),
    importWindow: (run) => work.importWindow(run),
    endAggregatorSync: (of) => states.endAggregatorSync(of),
    isStepFailure,
  }
}
