import { eventually } from '@coffer/host/testing/boot'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'
import { type StripeSimulator, startStripe } from '../providers/stripe.ts'

const statement = `!Type:Bank
D01/15/2026
T-12.50
PLunch
^
`

/**
 * API key by which the feed link of a full account (with a row in every table) calls its provider.
 */
export const feedKey = 'feedKeyOfAFullHousehold'

/**
 * Settings that enable all features of `createFullAccount`, except those for the simulated Stripe.
 */
export const fullSettings = {
  COFFER_FEED_ENABLED: 'true',
  COFFER_FEED_ALLOWED_URLS: 'https://feed.example.com',
}

/** A running Coffer with all features of `createFullAccount`, and a simulated Stripe. */
export interface FullCoffer extends AsyncDisposable {
  coffer: Coffer
  stripe: StripeSimulator
  createAccount: () => Promise<Person>
}

/** Starts every service and the gateway with a simulated Stripe. */
export async function startFullCoffer(): Promise<FullCoffer> {
  await using opening = new AsyncDisposableStack()
  const stripe = opening.use(await startStripe())
  const coffer = opening.use(await startCoffer({ ...stripe.settings, ...fullSettings }))
  const stack = opening.move()
  return {
    coffer,
    stripe,
    createAccount: () => createFullAccount(coffer, stripe),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Registers a person with a subscription and a row in every table that REST requests write. */
export async function createFullAccount(
  coffer: Pick<Coffer, 'person'>,
  stripe: StripeSimulator,
): Promise<Person> {
  const person = await coffer.person()
  const { path } = await person.createBankAccount()
  const ruleset = 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'
  const pay = await person.post(`${path}/funding_schedules`, { name: 'Payday', ruleset })
  const rent = await person.post(`${path}/spending`, {
    spendingType: 'expense',
    name: 'Rent',
    targetAmount: 50_000,
    ruleset,
    fundingScheduleId: pay.fundingScheduleId,
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  })
  const transfer = { fromSpendingId: null, toSpendingId: rent.spendingId, amount: 3_000 }
  await person.post(`${path}/spending/transfer`, transfer)
  const date = new Date().toISOString()
  const { transaction } = await person.post(`${path}/transactions`, {
    name: 'Tea',
    amount: 300,
    date,
    adjustsBalance: true,
  })
  const noted = { items: [transaction.transactionId], set: { notes: 'green' } }
  await person.patch(`${path}/transactions/bulk`, noted)
  const conditions = { direction: 'out' }
  await person.post('/rules', { name: 'Out', conditions, actions: { tags: ['out'] } })
  // Nothing is sent to it: the account deletes no mapping.
  await person.post('/webhooks', { url: 'https://example.com', types: ['mapping.deleted'] })
  await uploads(person, path)
  const feedURL = fullSettings.COFFER_FEED_ALLOWED_URLS
  await person.post('/feed/link', { name: 'Feed', feedURL, apiKey: feedKey })
  await subscribes(person, stripe)
  return person
}

async function uploads(person: Person, path: string): Promise<void> {
  const form = new FormData()
  form.set('data', new Blob([statement]), 'bank.qif')
  const { body } = await person.call('POST', `${path}/transactions/upload`, { form })
  const upload = `${path}/transactions/upload/${body.transactionUploadId}`
  await eventually(
    () => person.get(upload),
    ({ status }) => status === 'complete',
    60_000,
  )
}

async function subscribes(person: Person, stripe: StripeSimulator): Promise<void> {
  const asSession = { asSession: true }
  const { body } = await person.call('POST', '/billing/create_checkout', asSession)
  stripe.pay(body.sessionId)
  await person.call('GET', `/billing/checkout/${body.sessionId}`, asSession)
}
