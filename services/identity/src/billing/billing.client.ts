import { refused, unavailable } from '@coffer/kit/rpc/errors'
import Stripe from 'stripe'
import { z } from 'zod'
import type { ProviderSubscription } from './subscription.ts'

/** What Stripe says happened; `customerId` is null where it is about no customer. */
export interface BillingEvent {
  eventId: string
  type: string
  customerId: string | null
}

// Of other kinds than those that are asked for, nothing is known.
const Event = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ object: z.looseObject({}) }),
})

/** An account as Stripe is to know it. */
export interface Payer {
  accountId: string
  email: string
  name: string
}

/** Stripe, as far as identity uses it. Every call may throw unavailable. */
export interface Billing {
  /** The customer's ID. Repeated under the same key within a day, it is the same customer. */
  createCustomer: (payer: Payer, key: string) => Promise<string>
  /** Nothing happens where the customer is deleted already; its subscriptions end with it. */
  deleteCustomer: (customerId: string) => Promise<void>
  /** Every subscription the customer ever had, none where it is deleted. */
  listSubscriptions: (customerId: string) => Promise<ProviderSubscription[]>
  createCheckout: (checkout: Checkout) => Promise<{ url: string; sessionId: string }>
  /** Whose checkout it is; null where there is no such checkout. */
  findCheckoutCustomer: (sessionId: string) => Promise<string | null>
  createPortal: (customerId: string, returnUrl: string) => Promise<string>
  /** The price that is sold, in minor units; null where it depends. */
  findPrice: () => Promise<number | null>
  /** Throws refused where the signature is not Stripe's or older than five minutes at `now`. */
  readEvent: (body: Uint8Array, signature: string, now: Date) => BillingEvent
}

interface Checkout {
  customerId: string
  accountId: string
  successUrl: string
  cancelUrl: string
}

export interface BillingSettings {
  stripeKey: string
  stripeUrl: string
  stripePrice: string
  stripeTaxes: boolean
  stripeWebhookSecret: string
}

// Two attempts stay within the deadline of a call (5 s).
const timeoutMs = 2_000
const toleranceSeconds = 300

// A customer with more subscriptions than this had most of them long ago; the newest come first.
const subscriptionsMax = 100

/** Opens no connection before the first call. */
export function createBillingClient(settings: BillingSettings): Billing {
  const { stripeKey, stripePrice, stripeTaxes, stripeWebhookSecret } = settings
  const { protocol, hostname, port } = new URL(settings.stripeUrl)
  const stripe = new Stripe(stripeKey, {
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  })
  return {
    createCustomer: async ({ accountId, email, name }, key) => {
      const customer = { email, name, metadata: { accountId } }
      const created = stripe.customers.create(customer, { idempotencyKey: key })
      return (await answered(created)).id
    },
    deleteCustomer: async (customerId) => {
      await found(stripe.customers.del(customerId))
    },
    listSubscriptions: async (customer) => {
      const query = { customer, status: 'all', limit: subscriptionsMax } as const
      const listed = await found(stripe.subscriptions.list(query))
      return (listed?.data ?? []).map(subscriptionOf)
    },
    createCheckout: async ({ customerId, accountId, successUrl, cancelUrl }) => {
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
      const { url, id } = await answered(created)
      if (!url) throw unavailable('the billing provider has no page for this')
      return { url, sessionId: id }
    },
    findCheckoutCustomer: async (sessionId) => {
      const session = await found(stripe.checkout.sessions.retrieve(sessionId))
      return idOf(session?.customer)
    },
    createPortal: async (customer, returnUrl) => {
      const created = stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })
      return (await answered(created)).url
    },
    findPrice: async () => (await found(stripe.prices.retrieve(stripePrice)))?.unit_amount ?? null,
    readEvent: (body, signature, now) => {
      const bytes = Buffer.from(body)
      const said = verified(() =>
        stripe.webhooks.constructEvent(
          ...([bytes, signature, stripeWebhookSecret, toleranceSeconds] as const),
          ...([undefined, now.getTime()] as const),
        ),
      )
      return eventOf(said)
    },
  }
}

function subscriptionOf({ id, status, items, created }: Stripe.Subscription): ProviderSubscription {
  const ends = items.data.map((item) => item.current_period_end)
  return {
    subscriptionId: id,
    status,
    periodEndsAt: new Date(Math.max(created, ...ends) * 1000),
  }
}

function eventOf(said: unknown): BillingEvent {
  const event = Event.safeParse(said)
  if (!event.success) throw refused('this is no event of Stripe')
  const { id: eventId, type, data } = event.data
  const about = data.object
  return { eventId, type, customerId: idOf(about.object === 'customer' ? about : about.customer) }
}

function idOf(reference: unknown): string | null {
  const id = typeof reference === 'string' ? reference : Object(reference).id
  return typeof id === 'string' ? id : null
}

/** What a call to Stripe came to. Its errors may name what was sent, so none is passed on. */
async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw failed(error)
  }
}

/** As `answered`; null where Stripe has no such object. */
async function found<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null
    throw failed(error)
  }
}

function failed(error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError)) return error as Error
  const { type, code = 'no code' } = error
  return unavailable(`the billing provider does not answer (${type}, ${code})`)
}

function verified<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw refused('the signature is not valid')
  }
}
