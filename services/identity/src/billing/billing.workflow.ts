import { proxyActivities } from '@temporalio/workflow'
import type { billingActivities } from './billing.activities.ts'

const activities = proxyActivities<ReturnType<typeof billingActivities>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Makes an account's customer at Stripe, until Stripe answers; `billing-customer/<accountId>`. */
export async function createCustomer(accountId: string): Promise<void> {
  await activities.createCustomer(accountId)
}

/** Sees to accounts that lack a trial or a customer; runs every ten minutes. */
export async function sweepBilling(): Promise<void> {
  while (!(await activities.beginTrials())) {
    // Each call takes a page.
  }
  let after: string | null = ''
  while (after !== null) after = await activities.startCustomers(after)
}

/** Has owners told that their trial ends; runs four times a day. */
export async function remindOfTrials(): Promise<void> {
  while (!(await activities.noteTrialsEnding())) {
    // Each call takes a page.
  }
}

/** Asks Stripe about periods that ended without a word; runs twice a day. */
export async function reconcileSubscriptions(): Promise<void> {
  for (const accountId of await activities.listOverdue()) {
    await activities.readSubscription(accountId)
  }
}
