import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { comparisonActivities } from './comparison.activities.ts'

const { comparePage } = activitiesOf<ReturnType<typeof comparisonActivities>>('budgeting', {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 5 },
})

/** Compares the plans of all bank accounts with the ledger, page by page. Runs every hour. */
export async function comparePlans(): Promise<void> {
  let page: Awaited<ReturnType<typeof comparePage>> = null
  do {
    page = await comparePage(page)
  } while (page !== null)
}
