import { eachPage } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { cleanUpActivities } from './clean-up.activities.ts'

const activities = activitiesOf<ReturnType<typeof cleanUpActivities>>('feed-sync', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Ends abandoned connections and those of lapsed accounts; scheduled daily. */
export async function cleanUpFeedLinks(): Promise<void> {
  let deleted = 0
  do {
    deleted = await activities.deleteAbandonedLinks()
  } while (deleted > 0)
  await eachPage(activities.deactivateLapsedLinks)
}
