import { proxyActivities } from '@temporalio/workflow'
import type { sweepActivities } from './sweep.activities.ts'

const { endStaleCreations, forgetOldKeys, endStaleRemovals } = proxyActivities<
  ReturnType<typeof sweepActivities>
>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
})

/**
 * Completes or deletes unfinished creations, clears expired idempotency keys, finishes deletions of
 * schedules: one batch of each, every ten minutes. If a step fails, the run fails after the other
 * steps have ended.
 */
export async function sweepPlans(): Promise<void> {
  const steps = await Promise.allSettled([endStaleCreations(), forgetOldKeys(), endStaleRemovals()])
  for (const step of steps) if (step.status === 'rejected') throw step.reason
}
