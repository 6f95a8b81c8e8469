import { proxyActivities } from '@temporalio/workflow'
import type { similarActivities } from './similar.activities.ts'

const { clusterWaiting } = proxyActivities<ReturnType<typeof similarActivities>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 10, maximumInterval: '1 minute' },
})

/** Finds similar transactions in all changed bank accounts; Temporal starts it every minute. */
export async function findWaitingSimilar(): Promise<void> {
  let next: Awaited<ReturnType<typeof clusterWaiting>> = null
  do {
    next = await clusterWaiting(next)
  } while (next !== null)
}
