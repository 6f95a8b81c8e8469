import { proxyActivities } from '@temporalio/workflow'
import type { billingActivities } from './billing.activities.ts'

const activities = proxyActivities<ReturnType<typeof billingActivities>>({
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
    // Each call takes a page.
  }
  let after: string | null = ''
  while (after !== null) after = await activities.startCustomers(after)
}

/** Notifies owners of trials that end; runs four times a day. */
export async function remindOfTrials(): Promise<void> {
  while (!(await activities.noteTrialsEnding())) {
    // Each call takes a page.
  }
}

/** Reads subscriptions whose period ended without a webhook; runs twice a day. */
export async function reconcileSubscriptions(): Promise<void> {
  for (const accountId of await activities.listOverdue()) {
    await activities.readSubscription(accountId)
  }
}
