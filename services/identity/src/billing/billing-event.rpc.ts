import {
  clearCustomer,
  findAccountOfCustomer,
  isHandledEvent,
  saveStripeEvent,
} from './billing.sql.ts'
import { type BillingDeps, readSubscription } from './billing-account.rpc.ts'

const subscriptionEvents = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
]

/**
 * Takes a signed message of Stripe (spec/identity.md 7.4). It only says of whom to ask: Stripe's
 * own state is what is stored, so that events may be late, doubled or out of order. Those about
 * anything else, or about a customer of nobody here, are had by being taken.
 *
 * Throws refused for a bad signature, unavailable where Stripe is to send it again.
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
