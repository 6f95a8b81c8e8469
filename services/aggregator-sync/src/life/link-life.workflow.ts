import { type Place, paged, runSteps, untilDone } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { linkLifeActivities } from './link-life.activities.ts'

const activities = activitiesOf<ReturnType<typeof linkLifeActivities>>('aggregator-sync', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/**
 * Warns of consents that end, ends the links of lapsed accounts (no longer paid up), deletes old
 * rows; once a day.
 */
export async function checkAggregatorLinks(place?: Place): Promise<void> {
  const steps = [
    paged<string[]>([], activities.warnOfConsents),
    paged<string[]>([], activities.endLapsedLinks),
    untilDone(activities.deleteOldRows),
  ]
  await runSteps(steps, place)
}
