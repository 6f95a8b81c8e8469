import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { comparisonActivities } from './comparison.activities.ts'

const { comparePage } = activitiesOf<ReturnType<typeof comparisonActivities>>('budgeting', {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 5 },
})

/** Compares the plans of all bank accounts with the ledger, page by page. Runs every hour. */
export async function comparePlans(place?: Place): Promise<void> {
  await runSteps([paged<Parameters<typeof comparePage>[0]>(null, comparePage)], place)
}
