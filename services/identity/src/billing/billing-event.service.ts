import {
  clearCustomer,
  findAccountOfCustomer,
  isHandledEvent,
  saveStripeEvent,
} from './billing.sql.ts'
import { type BillingDeps, readSubscription } from './billing-account.service.ts'

const subscriptionEvents = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
]

/**
 * Handles a webhook of Stripe (docs/billing.md#routes). The event only names the customer; the
 * state is read from Stripe, so events may be late, repeated or out of order. Events of other types
 * and of unknown customers succeed without effect. Throws refused (400) for a bad signature, and
 * unavailable where Stripe has to send the event again.
 */
export async function receiveStripeEvent(
  deps: BillingDeps,
  message: { body: Uint8Array; signature: string },
): Promise<void> {
  const { database, billing, clock } = deps
  const { eventId, type, customerId } = billing.readEvent(message.body, message.signature, clock())
  const isDeletion = type === 'customer.deleted'
  if (customerId === null || !(isDeletion || subscriptionEvents.includes(type))) return
  if (await isHandledEvent(database, eventId)) return
  const accountId = await findAccountOfCustomer(database, customerId)
  if (accountId === null) return
  await readSubscription(deps, accountId, async (tx) => {
    if (isDeletion) await clearCustomer(tx, accountId, customerId)
    await saveStripeEvent(tx, eventId)
  })
}
