import { proxyActivities } from '@temporalio/workflow'
import type { PlanScope } from '../plans/spending.ts'
import type { comparisonActivities } from './comparison.activities.ts'

const { comparePage } = proxyActivities<ReturnType<typeof comparisonActivities>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 5 },
})

/** Compares the plans of every bank account with the ledger, page by page. */
export async function comparePlans(): Promise<void> {
  let page: PlanScope | null = null
  do {
    page = await comparePage(page)
  } while (page !== null)
}
