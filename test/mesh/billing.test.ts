import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import { call, type Person } from '../harness/person.ts'
import { type StripeEvent, startStripe } from '../providers/stripe.ts'

const dayMs = 24 * 60 * 60_000
const begun = Math.floor(Date.now() / 1000) * 1000
const days = (count: number) => new Date(begun + count * dayMs)

const stripe = started(() => startStripe())
const coffer = started(() =>
  startCoffer({ ...stripe.settings, COFFER_EXTERNAL_URL: 'https://app.example.com' }),
)

const asSession = { asSession: true }
const me = async (person: Person) => (await person.call('GET', '/users/me', asSession)).body
const later = (ms: number) => {
  coffer.booted.clock.now = new Date((coffer.booted.clock.now ?? new Date()).getTime() + ms)
}

async function checkout(person: Person, body: object = {}) {
  return person.call('POST', '/billing/create_checkout', { ...asSession, body })
}

function deliver({ body, signature }: StripeEvent) {
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
  return call(coffer.baseUrl, 'POST', '/stripe/webhook', { body: JSON.parse(body), headers })
}

/** Registers a person who subscribes: checkout at Stripe, then the page to which Stripe returns. */
async function subscriber() {
  const person = await coffer.person()
  const { sessionId } = (await checkout(person)).body
  const subscriptionId = stripe.pay(sessionId)
  await person.call('GET', `/billing/checkout/${sessionId}`, asSession)
  return { person, sessionId, subscriptionId }
}

test('an account begins with a trial of thirty days', async () => {
  const before = Date.now()
  const person = await coffer.person()
  const { isActive, isTrialing, hasSubscription, activeUntil, trialingUntil } = await me(person)
  expect([isActive, isTrialing, hasSubscription, activeUntil]).toEqual([true, true, false, null])
  expect(Date.parse(trialingUntil)).toBeGreaterThanOrEqual(before + 30 * dayMs)
  expect(Date.parse(trialingUntil)).toBeLessThanOrEqual(Date.now() + 30 * dayMs)
})

test('after the trial paid routes are 402, for API keys and sessions', async () => {
  await using ended = await startCoffer({ ...stripe.settings, COFFER_BILLING_TRIAL_DAYS: '1' })
  const person = await ended.person()
  ended.booted.clock.now = new Date(Date.now() + 1.5 * dayMs)
  for (const credential of [{}, asSession]) {
    const { status, body } = await person.call('GET', '/links', credential)
    expect([status, body]).toEqual([
      402,
      { error: 'the subscription is not active: create a checkout, or renew it in the portal' },
    ])
  }
  const { status, body } = await person.call('GET', '/users/me')
  expect([status, body.isActive, body.nextUrl]).toEqual([200, false, '/account/subscribe'])
  const credentials = { email: person.email, password: person.password }
  const login = await call(ended.baseUrl, 'POST', '/authentication/login', { body: credentials })
  expect(login.body).toEqual({ isActive: false, nextUrl: '/account/subscribe' })
})

test('a checkout has the price, the account and the return pages', async () => {
  const person = await coffer.person()
  const { status, body } = await checkout(person, { cancelPath: '/logout' })
  expect([status, Object.keys(body)]).toEqual([200, ['url', 'sessionId']])
  const form = stripe.lastCheckout()
  const field = (name: string) => form.get(name)
  expect(['mode', 'line_items[0][price]', 'metadata[accountId]'].map(field)).toEqual([
    'subscription',
    'price_monthly',
    person.accountId,
  ])
  expect(field('success_url')).toBe(
    'https://app.example.com/account/subscribe/after?session={CHECKOUT_SESSION_ID}',
  )
  expect(field('cancel_url')).toBe('https://app.example.com/logout')
  await person.call('POST', '/billing/create_checkout', asSession)
  expect(stripe.lastCheckout().get('cancel_url')).toBe('https://app.example.com/account/subscribe')
})

test.each([
  ['//evil.example', 'must begin with one /'],
  ['@evil.example', 'must begin with one /'],
  [7, 'must be a string'],
])('cancelPath %p is a problem', async (cancelPath, problem) => {
  const { status, body } = await checkout(await coffer.person(), { cancelPath })
  expect([status, body.problems]).toEqual([400, { cancelPath: problem }])
})

test('the return page finds the subscription, with four days of grace', async () => {
  const person = await coffer.person()
  const { sessionId } = (await checkout(person)).body
  const open = await person.call('GET', `/billing/checkout/${sessionId}`, asSession)
  expect(open.body).toEqual({ nextUrl: '/', isActive: true })
  stripe.pay(sessionId, { until: days(30) })
  const paid = await person.call('GET', `/billing/checkout/${sessionId}`, asSession)
  expect(paid.body).toEqual({ nextUrl: '/', isActive: true })
  const { isTrialing, hasSubscription, activeUntil } = await me(person)
  expect([isTrialing, hasSubscription, Date.parse(activeUntil)]).toEqual([
    false,
    true,
    days(34).getTime(),
  ])
})

test('a checkout of another account is 404, as one that does not exist', async () => {
  const { sessionId } = await subscriber()
  const stranger = await coffer.person()
  for (const id of [sessionId, 'cs_test_none']) {
    expect((await stranger.call('GET', `/billing/checkout/${id}`, asSession)).status).toBe(404)
  }
})

test('the portal is for those with a subscription, the checkout for those without', async () => {
  const { person } = await subscriber()
  const portal = await person.call('GET', '/billing/portal', asSession)
  expect([portal.status, portal.body.url]).toEqual([200, expect.stringMatching(/^https:/)])
  expect((await checkout(person)).status).toBe(400)
  const stranger = await coffer.person()
  expect((await stranger.call('GET', '/billing/portal', asSession)).status).toBe(400)
})

test('an event of Stripe takes effect within a second', async () => {
  const { person, subscriptionId } = await subscriber()
  stripe.change(subscriptionId, { status: 'past_due' })
  expect(
    (await deliver(stripe.event('customer.subscription.updated', subscriptionId))).status,
  ).toBe(200)
  later(1_100)
  expect((await person.call('GET', '/links')).status).toBe(402)
  stripe.change(subscriptionId, { status: 'active', until: days(60) })
  await deliver(stripe.event('customer.subscription.updated', subscriptionId))
  later(1_100)
  expect((await person.call('GET', '/links')).status).toBe(200)
})

test('a repeated, late or reordered event changes nothing', async () => {
  const { person, subscriptionId } = await subscriber()
  const [first, second] = [1, 2].map(() =>
    stripe.event('customer.subscription.updated', subscriptionId),
  )
  stripe.change(subscriptionId, { status: 'canceled' })
  const deletion = stripe.event('customer.subscription.deleted', subscriptionId)
  for (const event of [deletion, second!, first!]) {
    expect((await deliver(event)).status).toBe(200)
  }
  const { hasSubscription, isTrialing } = await me(person)
  expect([hasSubscription, isTrialing]).toEqual([false, true])
  const before = stripe.requests.length
  expect((await deliver(deletion)).status).toBe(200)
  expect(stripe.requests.length).toBe(before)
})

test('ten concurrent events end in the state of Stripe', async () => {
  const { person, subscriptionId } = await subscriber()
  const events = Array.from({ length: 10 }, () =>
    stripe.event('customer.subscription.updated', subscriptionId),
  )
  stripe.change(subscriptionId, { until: days(90) })
  const answers = await Promise.all(events.map(deliver))
  for (const [index, { status }] of answers.entries()) {
    if (status !== 200) expect((await deliver(events[index]!)).status).toBe(200)
  }
  expect(Date.parse((await me(person)).activeUntil)).toBe(days(94).getTime())
})

test('the next checkout replaces a customer that was deleted at Stripe', async () => {
  const { person, subscriptionId } = await subscriber()
  const [customer] = stripe.customers().filter((one) => one.email === person.email)
  stripe.change(subscriptionId, { status: 'canceled' })
  await deliver(stripe.event('customer.deleted', customer!.id))
  expect((await me(person)).hasSubscription).toBe(false)
  expect((await checkout(person)).status).toBe(200)
  expect(stripe.lastCheckout().get('customer')).not.toBe(customer!.id)
})

test('events of other types, and of unknown customers, are accepted', async () => {
  const { subscriptionId } = await subscriber()
  for (const event of [
    stripe.event('invoice.paid', subscriptionId),
    stripe.event('checkout.session.completed', subscriptionId),
    stripe.event('customer.deleted', 'cus_stranger'),
  ]) {
    expect((await deliver(event)).status).toBe(200)
  }
})

test('an event whose signature is missing, wrong or old is 400', async () => {
  const { subscriptionId } = await subscriber()
  const fresh = stripe.event('customer.subscription.updated', subscriptionId)
  const old = new Date((coffer.booted.clock.now ?? new Date()).getTime() - 301_000)
  for (const event of [
    { ...fresh, signature: '' },
    { ...fresh, signature: fresh.signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) },
    { ...fresh, body: fresh.body.replace(subscriptionId, 'sub_other') },
    stripe.event('customer.subscription.updated', subscriptionId, old),
  ]) {
    const { status, body } = await deliver(event)
    expect([status, body.error]).toEqual([400, expect.stringMatching(/signature/i)])
  }
  const missing = await call(coffer.baseUrl, 'POST', '/stripe/webhook', { body: {} })
  expect([missing.status, missing.body]).toEqual([400, { error: 'Stripe-Signature is missing' }])
})

test.each([
  ['an ID with NUL', { id: 'evt_\u0000' }, 400],
  ['an ID that no index can hold', { id: 'x'.repeat(9_000) }, 400],
  ['a customer with NUL', { customer: 'cus_\u0000' }, 200],
  ['a type with NUL', { type: 'customer.subscription.updated\u0000' }, 200],
])('an event with %s is %s, and its account is as Stripe has it', async (_what, change, status) => {
  const { person, subscriptionId } = await subscriber()
  const event = JSON.parse(stripe.event('customer.subscription.updated', subscriptionId).body)
  const {
    id = event.id,
    type = event.type,
    customer = event.data.object.customer,
  } = change as Record<string, string>
  const data = { object: { ...event.data.object, customer } }
  stripe.change(subscriptionId, { status: 'past_due' })
  const answer = await deliver(stripe.sign({ ...event, id, type, data }))
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body).toEqual({ error: 'this is no event of Stripe' })
  // The next event of the customer makes up for it.
  await deliver(stripe.event('customer.subscription.updated', subscriptionId))
  later(1_100)
  expect((await person.call('GET', '/links')).status).toBe(402)
})

test('a lost answer of Stripe does not block an owner with another address since', async () => {
  stripe.loseAnswers(true)
  const person = await coffer.person()
  expect((await checkout(person)).status).toBe(503)
  const email = `new-${person.email}`
  const body = { email, currentPassword: person.password }
  const changed = await person.call('PATCH', '/users/me', { ...asSession, body })
  expect([changed.status, changed.body]).toEqual([200, expect.anything()])
  stripe.loseAnswers(false)
  expect((await checkout(person)).status).toBe(200)
})

test('while Stripe is down registration works, and billing is 503', async () => {
  stripe.failWith(500)
  try {
    const person = await coffer.person()
    const answer = await checkout(person)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(JSON.stringify(answer.body)).not.toContain('simulated')
  } finally {
    stripe.failWith(null)
  }
})
