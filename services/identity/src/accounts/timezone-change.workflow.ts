import { isHistoryLong } from '@coffer/kit/workflows/history'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { continueAsNew } from '@temporalio/workflow'
import type { timezoneChangeActivities } from './timezone-change.activities.ts'

/** Activities of other services, which read the timezone from identity; all are idempotent. */
interface Elsewhere {
  /** Moves the days of some transactions; returns true when none is left. */
  moveDates: (accountId: string) => Promise<boolean>
  /** Moves the dates and rules of all plans. */
  movePlans: (accountId: string) => Promise<void>
}

const timeouts = { startToCloseTimeout: '2 minutes', heartbeatTimeout: '10 seconds' } as const

/**
 * Moves the days of an account to the requested timezone (docs/account-data.md#a-new-timezone):
 * first money, then plans, then the account's own setting. Runs as the workflow
 * `change-timezone/<accountId>`. Continue-as-new when the history is long.
 */
export async function changeTimezone(accountId: string): Promise<void> {
  const at = (service: string) => activitiesOf<Elsewhere>(service, timeouts)
  while (!(await at('ledger').moveDates(accountId))) {
    if (isHistoryLong()) await continueAsNew<typeof changeTimezone>(accountId)
  }
  await at('budgeting').movePlans(accountId)
  const identity = activitiesOf<ReturnType<typeof timezoneChangeActivities>>('identity', timeouts)
  await identity.completeTimezone(accountId)
}
