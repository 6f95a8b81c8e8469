import { say } from '@coffer/kit/reasons/reasons'
import { refused, unavailable } from '@coffer/kit/rpc/errors'
import { onDemand } from '@coffer/kit/service/on-demand'
import type Stripe from 'stripe'
import { z } from 'zod'
import type { ProviderSubscription } from './subscription.ts'

/** An event of Stripe; `customerId` is null if the event concerns no customer. */
export interface BillingEvent {
  eventId: string
  type: string
  customerId: string | null
}

/** An ID of Stripe: visible ASCII. Postgres cannot store NUL, nor index a text of any length. */
const Id = z.string().regex(/^[!-~]{1,255}$/)

// A loose object, because its fields depend on the type of event, and identity reads few of them.
const Event = z.object({
  id: Id,
  type: z.string(),
  data: z.object({ object: z.looseObject({}) }),
})

/** The data of an account that Stripe receives when its customer is created. */
export interface Payer {
  accountId: string
  email: string
  name: string
}

/** Client of Stripe. Every call may throw unavailable. */
export interface Billing {
  /** Creates a customer, only one per `idempotencyKey` within a day; returns the customer's ID. */
  createCustomer: (payer: Payer, idempotencyKey: string) => Promise<string>
  /** Deletes a customer and its subscriptions; does nothing if the customer is deleted already. */
  deleteCustomer: (customerId: string) => Promise<void>
  /** Returns the newest 100 subscriptions, ended ones too; none if the customer is deleted. */
  listSubscriptions: (customerId: string) => Promise<ProviderSubscription[]>
  createCheckout: (checkout: Checkout) => Promise<{ url: string; sessionId: string }>
  /** Returns the customer ID of a checkout session; null if the session does not exist. */
  findCheckoutCustomer: (sessionId: string) => Promise<string | null>
  createPortal: (customerId: string, returnUrl: string) => Promise<string>
  /** Returns the price in minor units; null if the price has no fixed amount. */
  findPrice: () => Promise<number | null>
  /**
   * Verifies a webhook, then parses it. Throws refused (400) if its signature is wrong or too old,
   * or if it is no event with an ID of Stripe.
   */
  readEvent: (body: Uint8Array, signature: string, now: Date) => Promise<BillingEvent>
}

interface Checkout {
  customerId: string
  accountId: string
  successUrl: string
  cancelUrl: string
}

/** Settings of the Stripe client (docs/billing.md). */
export interface BillingSettings {
  stripeKey: string
  stripeUrl: string
  stripePrice: string
  stripeTaxes: boolean
  stripeWebhookSecret: string
}

// Timeout of one attempt at a call of Stripe: two attempts fit into the deadline of an RPC (5 s).
const timeoutMs = 2_000
// Maximum age of a webhook's signature, in seconds.
const toleranceSeconds = 300

// Maximum number of subscriptions to read per customer. One page is enough, because Stripe lists
// the newest first, and few subscriptions are active at a time.
const subscriptionsMax = 100

/** Returns a client of Stripe, which connects at the first call. */
export function createBillingClient(settings: BillingSettings): Billing {
  const { stripePrice, stripeTaxes, stripeWebhookSecret } = settings
  const open = onDemand(() => openStripe(settings))
  return {
    createCustomer: async ({ accountId, email, name }, idempotencyKey) => {
      const stripe = await open()
      const customer = { email, name, metadata: { accountId } }
      const created = stripe.customers.create(customer, { idempotencyKey })
      return (await requireAnswer(created)).id
    },
    deleteCustomer: async (customerId) => {
      const stripe = await open()
      await findAnswer(stripe.customers.del(customerId))
    },
    listSubscriptions: async (customer) => {
      const stripe = await open()
      const query = { customer, status: 'all', limit: subscriptionsMax } as const
      const listed = await findAnswer(stripe.subscriptions.list(query))
      return (listed?.data ?? []).map(subscriptionOf)
    },
    createCheckout: async ({ customerId, accountId, successUrl, cancelUrl }) => {
      const stripe = await open()
      const created = stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customerId,
        line_items: [{ price: stripePrice, quantity: 1 }],
        allowed_payment_method_types: ['card'],
        allow_promotion_codes: true,
        success_url: successUrl,
        cancel_url: cancelUrl,
        metadata: { accountId },
        ...(stripeTaxes
          ? { automatic_tax: { enabled: true }, customer_update: { address: 'auto' } }
          : {}),
      })
      const { url, id } = await requireAnswer(created)
      if (!url) throw unavailable(say('BILLING_WITHOUT_URL'))
      return { url, sessionId: id }
    },
    findCheckoutCustomer: async (sessionId) => {
      const stripe = await open()
      const session = await findAnswer(stripe.checkout.sessions.retrieve(sessionId))
      return idOf(session?.customer)
    },
    createPortal: async (customer, returnUrl) => {
      const stripe = await open()
      const created = stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })
      return (await requireAnswer(created)).url
    },
    findPrice: async () => {
      const stripe = await open()
      return (await findAnswer(stripe.prices.retrieve(stripePrice)))?.unit_amount ?? null
    },
    readEvent: async (body, signature, now) => {
      const stripe = await open()
      const event = refuseUnverified(() =>
        stripe.webhooks.constructEvent(
          Buffer.from(body),
          signature,
          stripeWebhookSecret,
          toleranceSeconds,
          undefined,
          now.getTime(),
        ),
      )
      return parseEvent(event)
    },
  }
}

/** Imports the library, which is large: most deployments do not bill. */
async function openStripe({ stripeKey, stripeUrl }: BillingSettings): Promise<Stripe> {
  const { protocol, hostname, port } = new URL(stripeUrl)
  const sdk = await import('stripe')
  return new sdk.default(stripeKey, {
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  })
}

function subscriptionOf({ id, status, items, created }: Stripe.Subscription): ProviderSubscription {
  const ends = items.data.map((item) => item.current_period_end)
  return {
    subscriptionId: id,
    status,
    periodEndsAt: new Date(Math.max(created, ...ends) * 1000),
  }
}

function parseEvent(verified: unknown): BillingEvent {
  const event = Event.safeParse(verified)
  if (!event.success) throw refused('this is no event of Stripe')
  const { id: eventId, type, data } = event.data
  const about = data.object
  return { eventId, type, customerId: idOf(about.object === 'customer' ? about : about.customer) }
}

function idOf(reference: unknown): string | null {
  const id = typeof reference === 'string' ? reference : Object(reference).id
  return Id.safeParse(id).data ?? null
}

/**
 * Awaits a call of Stripe. Throws unavailable without Stripe's error text, as it may be personal
 * data.
 */
async function requireAnswer<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw unavailableFor(error)
  }
}

/** Awaits a call of Stripe; returns null for a 404. Throws as `requireAnswer` does. */
async function findAnswer<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (isOfStripe(error) && error.statusCode === 404) return null
    throw unavailableFor(error)
  }
}

/** Returns whether an error is of Stripe's library, whose `type` is the name of its class. */
function isOfStripe(error: unknown): error is Stripe.errors.StripeError {
  return String(Object(error).type).startsWith('Stripe')
}

function unavailableFor(error: unknown): Error {
  if (!isOfStripe(error)) return error as Error
  const { type, code = 'no code' } = error
  return unavailable(say('BILLING_AWAY', { type, code }))
}

function refuseUnverified<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw refused('the signature is not valid')
  }
}
