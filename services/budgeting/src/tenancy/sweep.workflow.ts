import { proxyActivities } from '@temporalio/workflow'
import type { openingActivities } from '../plans/opening.activities.ts'
import type { scheduleRemovalActivities } from '../schedules/schedule-removal.activities.ts'

type Activities = ReturnType<typeof openingActivities> &
  ReturnType<typeof scheduleRemovalActivities>

const { endStaleOpenings, forgetOldKeys, endStaleRemovals } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
})

/**
 * Ends what requests have left half-way; what is beyond one batch waits for the next run. A step
 * that fails does not stop the others, but the run.
 */
export async function sweepPlans(): Promise<void> {
  const steps = await Promise.allSettled([endStaleOpenings(), forgetOldKeys(), endStaleRemovals()])
  for (const step of steps) if (step.status === 'rejected') throw step.reason
}
