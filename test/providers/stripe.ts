import { createHmac, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './http-server.ts'

/** Fields of a subscription that a test sets. */
interface Terms {
  status?: string
  /** End of the current billing period. */
  until?: Date
}

interface Customer {
  id: string
  object: 'customer'
  email: string
  metadata: Record<string, string>
  deleted?: true
}

interface Subscription {
  id: string
  object: 'subscription'
  customer: string
  status: string
  created: number
  items: { data: { current_period_end: number }[] }
}

type Stored = { id: string; object: string; customer?: string }

/** A webhook message: its body, and the value of its header `Stripe-Signature`. */
export interface StripeEvent {
  body: string
  signature: string
}

/** A simulated Stripe: the REST API (form bodies, idempotency keys) and webhook messages. */
export interface StripeSimulator extends AsyncDisposable {
  /** Settings with which Coffer calls the simulated Stripe. */
  settings: Record<string, string>
  /** Method and path of each request so far, such as `POST /v1/customers`. */
  requests: string[]
  /** Returns all customers that are not deleted. */
  customers: () => Customer[]
  /** Returns the form fields of the last request that created a checkout. */
  lastCheckout: () => URLSearchParams
  /** Pays a checkout: creates a subscription of its customer. Returns the subscription's ID. */
  pay: (checkoutSessionId: string, terms?: Terms) => string
  /** Changes a subscription. Sends no webhook message. */
  change: (subscriptionId: string, terms: Terms) => void
  status: (subscriptionId: string) => string
  /**
   * Creates a webhook message about a subscription or customer, signed `signedAt` (default: now).
   */
  event: (type: string, aboutId: string, signedAt?: Date) => StripeEvent
  /** Signs a webhook message with any content, now. */
  sign: (content: unknown) => StripeEvent
  /** Makes every request fail with this status; null restores the normal answers. */
  failWith: (status: number | null) => void
  /** Sets whether requests are carried out, but answered by an error. */
  loseAnswers: (isLost: boolean) => void
}

const apiKey = 'sk_test_simulated_key'
const webhookSecret = 'whsec_simulated_secret'
const monthMs = 30 * 24 * 60 * 60_000

/** Creates a store of Stripe objects. `answer` returns the answer to a request; undefined: 404. */
function createStore() {
  const objects = new Map<string, Stored>()
  const store = {
    lastCheckout: new URLSearchParams(),
    put: <T extends Stored>(object: T): T => {
      objects.set(object.id, object)
      return object
    },
    get: <T extends Stored>(id: string) => objects.get(id) as T | undefined,
    all: <T extends Stored>(kind: T['object']) =>
      [...objects.values()].filter(({ object }) => object === kind) as T[],
    answer: (method: string, { pathname, searchParams }: URL, form: URLSearchParams) => {
      if (method === 'POST') return create[pathname]?.(form)
      if (pathname === '/v1/subscriptions') return subscriptionsOf(searchParams.get('customer'))
      const found = store.get<Customer>(pathname.split('/').at(-1) ?? '')
      if (found?.deleted) return undefined
      return found && method === 'DELETE' ? remove(found) : found
    },
  }
  const create: Record<string, (form: URLSearchParams) => Stored> = {
    '/v1/customers': (form) =>
      store.put<Customer>({
        id: newId('cus'),
        object: 'customer',
        email: form.get('email') ?? '',
        metadata: { accountId: form.get('metadata[accountId]') ?? '' },
      }),
    '/v1/checkout/sessions': (form) => {
      store.lastCheckout = form
      return store.put(pageOf('checkout.session', newId('cs_test'), form))
    },
    '/v1/billing_portal/sessions': (form) =>
      store.put(pageOf('billing_portal.session', newId('bps'), form)),
  }
  const subscriptionsOf = (customer: string | null) => {
    const data = store.all<Subscription>('subscription').filter((one) => one.customer === customer)
    return { object: 'list', data: data.toReversed(), has_more: false }
  }
  const remove = (customer: Customer) => {
    for (const one of subscriptionsOf(customer.id).data) one.status = 'canceled'
    customer.deleted = true
    return customer
  }
  return store
}

function pageOf(object: string, id: string, form: URLSearchParams) {
  return { id, object, customer: form.get('customer') ?? '', url: `https://pay.test/${id}` }
}

/** Starts a simulated Stripe on a free port. */
export async function startStripe(): Promise<StripeSimulator> {
  const store = createStore()
  const answered = new Map<string, { sent: string; body: unknown }>()
  const requests: string[] = []
  let failure: number | null = null
  let losesAnswers = false

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', headers } = request
    const url = new URL(request.url ?? '', 'http://stripe.test')
    const form = new URLSearchParams(await text(request))
    requests.push(`${method} ${url.pathname}`)
    if (failure !== null) return send(response, failure, problem('api_error'))
    if (headers.authorization !== `Bearer ${apiKey}`) return send(response, 401, problem('auth'))
    const key = method === 'POST' ? String(headers['idempotency-key']) : newId('unkeyed')
    const first = answered.get(key)
    if (first && first.sent !== `${form}`) return send(response, 400, problem('idempotency'))
    const body = first?.body ?? store.answer(method, url, form)
    answered.set(key, { sent: `${form}`, body })
    if (losesAnswers) return send(response, 500, problem('api_error'))
    return body ? send(response, 200, body) : send(response, 404, problem('resource_missing'))
  }
  const server = await listen(serve)
  store.put({ id: 'price_monthly', object: 'price', unit_amount: 499, currency: 'usd' })
  return {
    settings: {
      COFFER_BILLING_ENABLED: 'true',
      COFFER_STRIPE_URL: server.origin,
      COFFER_STRIPE_API_KEY: apiKey,
      COFFER_STRIPE_PRICE_ID: 'price_monthly',
      COFFER_STRIPE_WEBHOOK_SECRET: webhookSecret,
    },
    requests,
    customers: () => store.all<Customer>('customer').filter(({ deleted }) => !deleted),
    lastCheckout: () => store.lastCheckout,
    pay: (sessionId, terms) => {
      const customer = store.get(sessionId)?.customer ?? ''
      return store.put({ ...subscriptionOf(customer), ...changed(terms ?? {}) }).id
    },
    change: (subscriptionId, terms) => {
      Object.assign(store.get(subscriptionId) ?? {}, changed(terms))
    },
    status: (subscriptionId) => store.get<Subscription>(subscriptionId)?.status ?? 'none',
    event: (type, aboutId, signedAt = new Date()) => {
      const object = store.get(aboutId) ?? { id: aboutId, object: 'customer' }
      return signed({ id: newId('evt'), object: 'event', type, data: { object } }, signedAt)
    },
    sign: (content) => signed(content, new Date()),
    failWith: (status) => {
      failure = status
    },
    loseAnswers: (isLost) => {
      losesAnswers = isLost
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function subscriptionOf(customer: string): Subscription {
  const now = Date.now()
  return {
    id: newId('sub'),
    object: 'subscription',
    customer,
    status: 'active',
    created: Math.floor(now / 1000),
    items: { data: [{ current_period_end: Math.floor((now + monthMs) / 1000) }] },
  }
}

function changed({ status, until }: Terms): Partial<Subscription> {
  return {
    ...(status ? { status } : {}),
    ...(until ? { items: { data: [{ current_period_end: until.getTime() / 1000 }] } } : {}),
  }
}

/** Returns a webhook message signed as Stripe documents it: HMAC-SHA-256 of time, dot and body. */
function signed(event: unknown, at: Date): StripeEvent {
  const body = JSON.stringify(event)
  const time = Math.floor(at.getTime() / 1000)
  const mac = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex')
  return { body, signature: `t=${time},v1=${mac}` }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const headers = { 'content-type': 'application/json', 'stripe-should-retry': 'false' }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

function problem(code: string): object {
  return { error: { type: 'invalid_request_error', code, message: `simulated ${code}` } }
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}
