import { runPerStart } from '@coffer/kit/workflows/repeated-run'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { ActivityFailure, continueAsNew, sleep } from '@temporalio/workflow'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { itemSyncActivities } from './item-sync.activities.ts'
import { type ItemSyncSteps, runItemSync } from './item-sync-run.ts'
import type { pageActivities } from './page.activities.ts'

type Activities = ReturnType<typeof itemSyncActivities> & ReturnType<typeof pageActivities>

/**
 * Syncs one aggregator link (docs/banks/aggregator.md#syncs); the workflow ID is
 * `aggregator-sync/<linkId>`, so two syncs of a link never run at once. A start during a sync is
 * followed by another one, if there is work.
 */
export async function syncAggregatorLink(key: LinkKey, isContinued = false): Promise<void> {
  const steps = createSteps()
  const again = () => continueAsNew<typeof syncAggregatorLink>(key, true)
  await runPerStart((runId) => runItemSync(steps, { ...key, runId }, sleep), { isContinued, again })
}

/**
 * Returns the activities as steps. Each is named, because the object of all activities is a proxy
 * without keys. Begin and end are retried until they succeed; the others for about two minutes.
 */
function createSteps(): ItemSyncSteps {
  const states = activitiesOf<Activities>('aggregator-sync', {
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '10 seconds',
    retry: { maximumInterval: '1 minute' },
  })
  const work = activitiesOf<Activities>('aggregator-sync', {
    startToCloseTimeout: '15 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 8, maximumInterval: '30 seconds' },
  })
  return {
    beginAggregatorSync: (run) => states.beginAggregatorSync(run),
    syncItem: (run) => work.syncItem(run),
    importPages: (run) => work.importPages(run),
    importWindow: (run) => work.importWindow(run),
    endAggregatorSync: (of) => states.endAggregatorSync(of),
    isStepFailure: (error) => error instanceof ActivityFailure,
  }
}
