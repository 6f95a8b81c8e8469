import { proxyActivities } from '@temporalio/workflow'
import type { openingActivities } from './opening.activities.ts'

const { endStaleOpenings } = proxyActivities<ReturnType<typeof openingActivities>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
})

/** Ends openings that were left half-way; those beyond one batch wait for the next run. */
export async function sweepOpenings(): Promise<void> {
  await endStaleOpenings()
}
