import { proxyActivities } from '@temporalio/workflow'
import type { sweepActivities } from './sweep.activities.ts'

const { endStaleOpenings, forgetOldKeys, endStaleRemovals } = proxyActivities<
  ReturnType<typeof sweepActivities>
>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
})

/**
 * Sweep, every ten minutes: completes or deletes unfinished creations, clears expired idempotency
 * keys, finishes deletions of schedules. One batch of each. A failed step fails the run after the
 * other steps.
 */
export async function sweepPlans(): Promise<void> {
  const steps = await Promise.allSettled([endStaleOpenings(), forgetOldKeys(), endStaleRemovals()])
  for (const step of steps) if (step.status === 'rejected') throw step.reason
}
