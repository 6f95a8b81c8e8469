import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { similarActivities } from './similar.activities.ts'

const { clusterWaiting } = activitiesOf<ReturnType<typeof similarActivities>>('ledger', {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 10, maximumInterval: '1 minute' },
})

/** Searches all bank accounts changed since their last search; Temporal runs it every minute. */
export async function findWaitingSimilar(place?: Place): Promise<void> {
  await runSteps([paged<Parameters<typeof clusterWaiting>[0]>(null, clusterWaiting)], place)
}
