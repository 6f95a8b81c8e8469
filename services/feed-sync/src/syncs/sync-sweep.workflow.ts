import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { syncSweepActivities } from './sync-sweep.activities.ts'

const activities = activitiesOf<ReturnType<typeof syncSweepActivities>>('feed-sync', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Starts syncs that are due or were lost, page by page; scheduled every ten minutes. */
export async function startDueFeedSyncs(place?: Place): Promise<void> {
  const steps = [
    paged<string[]>([], activities.restartSyncs),
    paged<string[]>([], activities.startDueSyncs),
  ]
  await runSteps(steps, place)
}
