import type { Examples } from '@coffer/gateway/openapi/examples'
import { sql } from 'slonik'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { basicOf, call, cookieOf } from '../harness/person.ts'
import { proofFor } from '../harness/proof-of-work.ts'
import { aggregatorSettings } from '../providers/linked-aggregator.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import { type Plaid, startPlaid } from '../providers/plaid/plaid.ts'
import { type StripeSimulator, startStripe } from '../providers/stripe.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { idsOf } from './sign-in.ts'

const attemptsPerMinute = 15
const keyUnits = 30
const accountUnits = 60
const trialMs = 30 * 86_400_000
const password = 'a long enough password'
const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Young', password }
const grace = { ...ada, email: 'grace@example.com', firstName: 'Grace' }

/**
 * Records answers that a server which verifies addresses does not give, messages of other systems,
 * the limits, and the end of a trial. `ids` are those of Ada.
 */
export async function recordPlain(start: Date): Promise<{ plain: Examples; ids: string[] }> {
  await using stripe = await startStripe()
  await using plaid = await startPlaid({ now: () => start })
  await using coffer = await startCoffer({
    ...stripe.settings,
    ...aggregatorSettings(plaid),
    COFFER_EXTERNAL_URL: 'https://coffer.example.com',
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: String(attemptsPerMinute),
    COFFER_KEY_UNITS_PER_MINUTE: String(keyUnits),
    COFFER_ACCOUNT_UNITS_PER_MINUTE: String(accountUnits),
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_DIFFICULTY: '12',
  })
  const { clock } = coffer.booted
  clock.now = start
  const { baseUrl } = coffer
  const recorder = createRecorder(baseUrl)
  const { headers, ids } = await registers(baseUrl, recorder)
  await refusesMessages(recorder, { stripe, plaid })
  await refusesAttempts(coffer, recorder)
  clock.now = new Date(start.getTime() + trialMs + 60_000)
  const shown = { name: 'lapsed', summary: 'The trial has ended, and nothing is paid' }
  await recorder.as(headers)('GET', '/users/me', shown)
  await recorder.refuse(402, 'GET', '/links', { headers, ...shown })
  const body = { email: ada.email, password, ...(await proofFor(baseUrl, 'login')) }
  const again = await call(baseUrl, 'POST', '/authentication/login', { body })
  const session = recorder.as({ cookie: cookieOf(again) })
  const create = '/billing/create_checkout'
  const { body: checkout } = await session('POST', create, { isShown: false })
  await session('GET', `/billing/checkout/${checkout.sessionId}`, {
    name: 'unpaid',
    summary: 'Stripe has no payment yet',
  })
  await refusesSpent(baseUrl, recorder, { headers, sessionHeaders: { cookie: cookieOf(again) } })
  return { plain: recorder.recorded(), ids }
}

/** Registers Ada and Grace. Returns the headers with an API key of Ada, and her IDs. */
async function registers(baseUrl: string, recorder: Recorder) {
  const take = recorder.as({})
  const path = '/authentication/register'
  const proof = () => proofFor(baseUrl, 'register')
  const registered = await take('POST', path, {
    body: { ...ada, timezone: 'America/Chicago', ...(await proof()) },
    name: 'session',
    summary: 'Signed in: the session is in the cookie',
  })
  const hers = await take('POST', path, { body: { ...grace, ...(await proof()) }, isShown: false })
  await recorder.as({ cookie: cookieOf(hers) })('PUT', '/users/me/timezone', {
    body: { timezone: 'Europe/Berlin', currentPassword: password },
  })
  const inUse = { name: 'known', summary: 'The address is in use' }
  await take('POST', path, { body: { ...grace, ...(await proof()) }, ...inUse })
  const session = recorder.as({ cookie: cookieOf(registered) })
  const moved = { email: grace.email, currentPassword: password }
  await session('PATCH', '/users/me', { body: moved, ...inUse })
  const { body: key } = await session('POST', '/keys', {
    body: { name: 'Test', ...(await proofFor(baseUrl, 'create_api_key')) },
    isShown: false,
  })
  const headers = { authorization: basicOf(key) }
  return { headers, ids: idsOf(registered.body.user) }
}

/** Sends messages as Stripe and Plaid do, which are refused. */
async function refusesMessages(
  { refuse }: Recorder,
  { stripe, plaid }: { stripe: StripeSimulator; plaid: Plaid },
): Promise<void> {
  const path = '/aggregator/webhook'
  const body = { webhook_type: 'ITEM', webhook_code: 'ERROR', item_id: 'item' }
  await refuse(400, 'POST', '/stripe/webhook', {
    headers: { 'stripe-signature': stripe.event('customer.created', 'unknown').signature },
    body: {},
    name: 'stripe',
    summary: 'The signature of another message',
    isOwn: true,
  })
  const verification = plaid.webhooks.keys.sign('{}')
  await refuse(400, 'POST', path, {
    headers: { 'plaid-verification': verification },
    name: 'plaid',
    summary: 'No body',
    isOwn: true,
  })
  await refuse(415, 'POST', path, {
    headers: { 'content-encoding': 'gzip', 'plaid-verification': verification },
    body,
    name: 'coding',
    summary: 'A body with a Content-Encoding',
  })
  await refuse(401, 'POST', path, { body, name: 'plaid', summary: 'No signature', isOwn: true })
  plaid.fault(/webhook_verification_key/, plaidFaults.code('INTERNAL_SERVER_ERROR'))
  await refuse(424, 'POST', path, {
    headers: { 'plaid-verification': plaid.webhooks.keys.sign(JSON.stringify(body)) },
    body,
    name: 'key',
    summary: 'Plaid does not send the key of the signature',
  })
}

/** Signs in with an expired password and with wrong ones, until no more attempts are left. */
async function refusesAttempts({ baseUrl, booted }: Coffer, recorder: Recorder): Promise<void> {
  const path = '/authentication/login'
  const bodyOf = async (email: string, sent: string) => {
    return { email, password: sent, ...(await proofFor(baseUrl, 'login')) }
  }
  const wrong = () => bodyOf(ada.email, 'not this password')
  await booted.database('identity').pool.query(sql.unsafe`
    UPDATE logins SET is_password_expired = true WHERE email = ${grace.email}`)
  await recorder.refuse(406, 'POST', path, {
    bodyOf: () => bodyOf(grace.email, password),
    name: 'expired',
    summary: 'The password has expired, and this server sends no mails',
    isOwn: true,
  })
  await recorder.refuse(401, 'POST', path, {
    bodyOf: wrong,
    name: 'password',
    summary: 'A wrong password',
    isOwn: true,
  })
  for (let count = 0; count < attemptsPerMinute; count += 1) {
    await call(baseUrl, 'POST', path, { body: await wrong() })
  }
  await recorder.refuse(429, 'POST', path, {
    bodyOf: wrong,
    name: 'attempts',
    summary: 'Too many wrong passwords',
  })
}

/** Reads until the budget of the API key is spent, then that of the account. */
async function refusesSpent(
  baseUrl: string,
  recorder: Recorder,
  { headers, sessionHeaders }: Record<'headers' | 'sessionHeaders', Record<string, string>>,
): Promise<void> {
  const spend = async (path: string, by: Record<string, string>, units: number) => {
    for (let count = 0; count < units; count += 1) {
      await call(baseUrl, 'GET', path, { headers: by })
    }
  }
  await spend('/users/me', headers, keyUnits)
  await recorder.refuse(429, 'GET', '/users/me', {
    headers,
    name: 'key',
    summary: 'The API key has sent too many requests',
  })
  await spend('/keys', sessionHeaders, accountUnits)
  await recorder.refuse(429, 'GET', '/keys', {
    headers: sessionHeaders,
    name: 'account',
    summary: 'The account has sent too many requests',
  })
}
