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
export async function sweepBilling(): Promise<void> {
  while (!(await activities.beginTrials())) {
    // Repeated for all pages: each call starts the trials of a page of accounts.
  }
  let after: string | null = ''
  while (after !== null) after = await activities.startCustomers(after)
}

/** Notifies owners whose trial ends within five days; runs four times a day. */
export async function remindOfTrials(): Promise<void> {
  while (!(await activities.noteTrialsEnding())) {
    // Repeated for all pages: each call notifies the owners of a page of accounts.
  }
}

/** Reads overdue subscriptions from Stripe, as webhooks may be lost; runs twice a day. */
export async function reconcileSubscriptions(): Promise<void> {
  for (const accountId of await activities.listOverdue()) {
    await activities.readSubscription(accountId)
  }
}
