import { eachPage } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { linkLifeActivities } from './link-life.activities.ts'

const activities = activitiesOf<ReturnType<typeof linkLifeActivities>>('aggregator-sync', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Warns of consents that end, ends the links of lapsed accounts, deletes old rows; once a day. */
export async function checkAggregatorLinks(): Promise<void> {
  for (const step of [activities.warnOfConsents, activities.endLapsedLinks]) await eachPage(step)
  let isDone = false
  while (!isDone) isDone = await activities.deleteOldRows()
}
