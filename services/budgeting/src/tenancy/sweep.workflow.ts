import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { sweepActivities } from './sweep.activities.ts'

const { endStaleCreations, forgetOldKeys, endStaleRemovals } = activitiesOf<
  ReturnType<typeof sweepActivities>
>('budgeting', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
})

/** Runs the sweep's activities every ten minutes, one batch each; throws a failure at the end. */
export async function sweepPlans(): Promise<void> {
  const steps = await Promise.allSettled([endStaleCreations(), forgetOldKeys(), endStaleRemovals()])
  for (const step of steps) if (step.status === 'rejected') throw step.reason
}
