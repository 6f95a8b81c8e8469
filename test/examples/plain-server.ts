import type { Examples } from '@coffer/gateway/http/openapi/examples'
import { startCoffer } from '../harness/coffer.ts'
import { basicOf, call, cookieOf } from '../harness/person.ts'
import { proofFor } from '../harness/proof-of-work.ts'
import { startStripe } from '../providers/stripe.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const attemptsPerMinute = 15
const trialMs = 30 * 86_400_000
const password = 'a long enough password'
const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Young', password }
const grace = { ...ada, email: 'grace@example.com', firstName: 'Grace' }

/** Records answers that a server which verifies addresses does not give, and the end of a trial. */
export async function recordPlain(start: Date): Promise<Examples> {
  await using stripe = await startStripe()
  await using coffer = await startCoffer({
    ...stripe.settings,
    COFFER_EXTERNAL_URL: 'https://coffer.example.com',
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: String(attemptsPerMinute),
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_DIFFICULTY: '12',
  })
  const { clock } = coffer.booted
  clock.now = start
  const { baseUrl } = coffer
  const recorder = createRecorder(baseUrl)
  const headers = await registers(baseUrl, recorder)
  await refusesAttempts(baseUrl, recorder)
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
  return recorder.recorded()
}

/** Registers Ada and Grace. Returns the headers with an API key of Ada. */
async function registers(baseUrl: string, recorder: Recorder): Promise<Record<string, string>> {
  const take = recorder.as({})
  const path = '/authentication/register'
  const proof = () => proofFor(baseUrl, 'register')
  const registered = await take('POST', path, {
    body: { ...ada, timezone: 'America/Chicago', ...(await proof()) },
    name: 'session',
    summary: 'Signed in: the session is in the cookie',
  })
  await take('POST', path, { body: { ...grace, ...(await proof()) }, isShown: false })
  const inUse = { name: 'known', summary: 'The address is in use' }
  await take('POST', path, { body: { ...grace, ...(await proof()) }, ...inUse })
  const session = recorder.as({ cookie: cookieOf(registered) })
  const moved = { email: grace.email, currentPassword: password }
  await session('PATCH', '/users/me', { body: moved, ...inUse })
  const { body: key } = await session('POST', '/keys', {
    body: { name: 'Test', ...(await proofFor(baseUrl, 'create_api_key')) },
    isShown: false,
  })
  return { authorization: basicOf(key) }
}

async function refusesAttempts(baseUrl: string, recorder: Recorder): Promise<void> {
  const path = '/authentication/login'
  const wrong = async () => {
    const proof = await proofFor(baseUrl, 'login')
    return { body: { email: ada.email, password: 'not this password', ...proof } }
  }
  for (let count = 0; count < attemptsPerMinute; count += 1) {
    await call(baseUrl, 'POST', path, await wrong())
  }
  await recorder.refuse(429, 'POST', path, {
    ...(await wrong()),
    name: 'attempts',
    summary: 'Too many wrong passwords',
  })
}
