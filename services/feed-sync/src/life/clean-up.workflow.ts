import { type Place, paged, runSteps, untilDone } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { cleanUpActivities } from './clean-up.activities.ts'

const activities = activitiesOf<ReturnType<typeof cleanUpActivities>>('feed-sync', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/**
 * Ends abandoned connections, and those of lapsed accounts (no longer paid up); scheduled daily.
 */
export async function cleanUpFeedLinks(place?: Place): Promise<void> {
  const steps = [
    untilDone(async () => (await activities.deleteAbandonedLinks()) === 0),
    paged<string[]>([], activities.deactivateLapsedLinks),
  ]
  await runSteps(steps, place)
}
