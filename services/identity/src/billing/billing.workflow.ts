import { type Place, paged, runSteps, untilDone } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { billingActivities } from './billing.activities.ts'

const activities = activitiesOf<ReturnType<typeof billingActivities>>('identity', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Creates an account's customer at Stripe, as the workflow `billing-customer/<accountId>`. */
export async function createCustomer(accountId: string): Promise<void> {
  await activities.createCustomer(accountId)
}

/** Starts missing trials and the creation of missing customers; runs every ten minutes. */
export async function sweepBilling(place?: Place): Promise<void> {
  // Each call starts the trials of one page of accounts, and returns true after the last page.
  await runSteps([untilDone(activities.beginTrials), paged('', activities.startCustomers)], place)
}

/** Notifies owners whose trial ends within five days; runs four times a day. */
export async function remindOfTrials(place?: Place): Promise<void> {
  // Each call notifies the owners of one page of accounts, and returns true after the last page.
  await runSteps([untilDone(activities.noteTrialsEnding)], place)
}

/** Reads overdue subscriptions from Stripe, as webhooks may be lost; runs twice a day. */
export async function reconcileSubscriptions(): Promise<void> {
  for (const accountId of await activities.listOverdue()) {
    await activities.readSubscription(accountId)
  }
}
