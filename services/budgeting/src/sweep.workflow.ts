import { proxyActivities } from '@temporalio/workflow'
import type { scheduleRemovalActivities } from './funding-schedule-removal.activities.ts'
import type { openingActivities } from './opening.activities.ts'

type Activities = ReturnType<typeof openingActivities> &
  ReturnType<typeof scheduleRemovalActivities>

const { endStaleOpenings, forgetOldKeys, endStaleRemovals } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
})

/** Ends what requests have left half-way; what is beyond one batch waits for the next run. */
export async function sweepPlans(): Promise<void> {
  await endStaleOpenings()
  await forgetOldKeys()
  await endStaleRemovals()
}
