import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { linkLifeActivities } from './link-life.activities.ts'

const activities = activitiesOf<ReturnType<typeof linkLifeActivities>>('aggregator-sync', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Warns of consents that end, ends the links of lapsed accounts, deletes old rows; once a day. */
export async function checkAggregatorLinks(): Promise<void> {
  for (const step of [activities.warnOfConsents, activities.endLapsedLinks]) {
    let after: string[] | null = []
    while (after !== null) {
      after = await step(after)
    }
  }
  let isDone = false
  while (!isDone) isDone = await activities.deleteOldRows()
}
