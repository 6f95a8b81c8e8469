import { createHmac } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { requireDocumented } from '../harness/answer-check.ts'
import { call, type Person } from '../harness/person.ts'
import { isLong, seed } from '../seed.ts'
import { type FuzzRequest, type Knowledge, type Reference, requestsTo } from './requests.ts'
import { type SignIn, startSignIn } from './sign-in.ts'
import { stripeMessages } from './stripe-messages.ts'

const batchSize = 500
const connections = 8
const attemptsMax = 5

// Matches stack traces, SQL and stored hashes, which no answer may contain.
const leaks = /node_modules|\bat \S+ \(|\.ts:\d|SELECT |INSERT |UPDATE |\$argon2|relation "|pg_/

let signIn: SignIn
let baseUrl: string
let agent: Agent
let reference: Reference
let bystander: Person

beforeAll(async () => {
  signIn = await startSignIn()
  baseUrl = signIn.coffer.baseUrl
  agent = new Agent({ keepAlive: true, maxSockets: connections })
  reference = (await call(baseUrl, 'GET', '/openapi.json')).body
  bystander = await signIn.person()
})

afterAll(async () => {
  agent?.destroy()
  await signIn?.[Symbol.asyncDispose]()
})

const isIdentity = (path: string) =>
  /^\/api\/(authentication|users|keys|sessions|billing|config|stripe)/.test(path)

describe('valid and invalid requests of every operation', () => {
  test.each([
    ['identity', isIdentity, isLong ? 2_000 : 200],
    ['everything else', (path: string) => !isIdentity(path), isLong ? 1_500 : 200],
  ])('get no 5xx and no leak: %s', async (_name, isWanted, total) => {
    const before = await everythingOf(bystander)
    const faults: string[] = []
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < total; sent += batchSize) {
      const { secrets, ...known } = await knowledge(isWanted)
      const requests = fc.sample(requestsTo(reference, isWanted, known), {
        numRuns: batchSize,
        seed: seed + sent,
      })
      await inParallel(requests, async (request) => {
        const answer = await answerTo(request)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const fault = faultOf(request, answer, secrets)
        if (fault) faults.push(`${describeRequest(request)}\n  ${fault}`)
      })
    }
    expect({ seed, faults: faults.slice(0, 10) }).toEqual({ seed, faults: [] })
    // More than 1 % of the random requests must succeed; otherwise handlers are hardly tested.
    expect(statuses.get(200)).toBeGreaterThan(total / 100)
    expect(statuses.get(400)).toBeGreaterThan(total / 100)
    expect(await everythingOf(bystander)).toEqual(before)
  })
})

test('signed messages of Stripe of every shape get no 5xx', async () => {
  const statuses = new Set<number>()
  for (const body of fc.sample(stripeMessages, 300)) {
    const at = Math.floor(Date.now() / 1000)
    const hmac = createHmac('sha256', signIn.webhookSecret).update(`${at}.${body}`)
    const answer = await send({
      method: 'POST',
      path: '/api/stripe/webhook',
      headers: {
        'stripe-signature': `t=${at},v1=${hmac.digest('hex')}`,
        'content-type': 'application/json',
      },
      body,
    })
    statuses.add(answer.status)
    expect({ seed, body, isFault: answer.status >= 500 }).toEqual({ seed, body, isFault: false })
  }
  expect([...statuses].sort()).toEqual([200, 400])
})

/**
 * Registers a person and creates objects. Returns credentials and values for random requests, and
 * secrets that no answer may contain.
 */
async function knowledge(isWanted: typeof isIdentity): Promise<Knowledge & { secrets: string[] }> {
  const person = await signIn.person()
  const { cookie, authorization, email, password } = person
  const { id, linkId, path } = await person.createBankAccount()
  const { transaction } = await person.post(`${path}/transactions`, {
    amount: 100,
    name: 'Tea',
    date: '2026-03-02T06:00:00Z',
  })
  const keys = (await person.call('GET', '/keys', { asSession: true })).body
  const sessions = (await person.call('GET', '/sessions', { asSession: true })).body
  const own = [{ cookie }, { cookie }, { cookie }, { authorization }, {}, { cookie: 'x=y' }]
  const nothing = { credentials: [], known: {}, secrets: [] }
  const signInKnowledge = isWanted === isIdentity ? await signIn.knowledge(person) : nothing
  const { credentials, known, secrets } = signInKnowledge
  return {
    secrets,
    credentials: [...own, ...credentials],
    known: {
      ...known,
      email: [email, bystander.email, 'unknown@example.com'],
      password: [password, 'another long enough password'],
      currentPassword: [password, 'not the password at all'],
      newPassword: [password],
      apiKeyId: [keys[0]?.apiKeyId, newId('key')],
      bankAccountId: [id, id, id, newId('bac')],
      linkId: [linkId, newId('link')],
      institutionId: ['ins_109508', 'ins_1'],
      publicToken: ['public-sandbox-unknown'],
      accountIds: [['account-1']],
      transactionId: [transaction.transactionId, newId('txn')],
      userId: [newId('user')],
      sessionId: [sessions[0]?.sessionId, newId('sess')],
      timezone: ['America/Chicago'],
      locale: ['en_US'],
      currency: ['USD'],
    },
  }
}

/** Reads the data of a person whose credentials the random requests do not have. */
async function everythingOf(person: Person) {
  const read = async (path: string) => (await person.call('GET', path, { asSession: true })).body
  return [await read('/users/me'), await read('/links'), await read('/bank_accounts')]
}

/** Sends a request. Repeats it after 503 with `Retry-After`: password hashing is limited. */
async function answerTo(request: FuzzRequest): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(request)
    if (answer.retryAfter === 0 || answer.status !== 503 || attempt === attemptsMax) return answer
    await sleep(answer.retryAfter * 1000)
  }
}

interface Answer {
  status: number
  contentType: string
  /** Value of the header `Retry-After` in seconds; 0 if it is missing. */
  retryAfter: number
  text: string
}

function faultOf(request: FuzzRequest, answer: Answer, secrets: string[]): string | null {
  const { method } = request
  const { status, contentType, text } = answer
  if (status >= 500 && !isOfAggregator(status, text)) return `${status} ${text}`
  if (leaks.test(text) || secrets.some((secret) => text.includes(secret)))
    return `leaks: ${text.slice(0, 300)}`
  if (text.includes(bystander.email) || text.includes(bystander.accountId)) {
    return `shows another account: ${text.slice(0, 300)}`
  }
  if (method === 'HEAD') return text === '' ? null : 'HEAD with a body'
  const undocumented = undocumentedOf(request, answer)
  if (undocumented || status < 400) return undocumented
  const isJson = contentType.includes('application/json')
  const says = isJson ? JSON.parse(text).error : null
  return typeof says === 'string' && says !== '' ? null : `${status} without an error: ${text}`
}

/** Returns how an answer differs from the OpenAPI document. */
function undocumentedOf({ method, path }: FuzzRequest, answer: Answer): string | null {
  const { status, contentType, text } = answer
  const isJson = contentType.startsWith('application/json')
  try {
    const headers = new Headers({ 'content-type': contentType })
    const body = isJson && text !== '' ? JSON.parse(text) : null
    requireDocumented(
      { baseUrl, method, path: path.slice('/api'.length) },
      { status, headers, body },
    )
    return null
  } catch (error) {
    return String(error)
  }
}

/** Returns whether an answer states that the aggregator refused the public token of a request. */
function isOfAggregator(status: number, text: string): boolean {
  return status === 500 && /^{"error":"failed to exchange token: /.test(text)
}

function send({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const failed = ({ message }: Error) => reject(new Error(`${message}: ${method} ${path}`))
    const length = { 'content-length': Buffer.byteLength(body ?? '') }
    const options = { agent, method, headers: body === null ? headers : { ...headers, ...length } }
    const sent = httpRequest(`${baseUrl}${path}`, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      const contentType = answer.headers['content-type'] ?? ''
      const retryAfter = Number(answer.headers['retry-after'] ?? 0)
      const status = answer.statusCode ?? 0
      answer.on('end', () => resolve({ status, contentType, retryAfter, text }))
      // Only an answer with an export may end early: the server aborts it when the session ends.
      const isCopy = path.startsWith('/api/users/me/export')
      answer.on('error', (error) =>
        isCopy ? resolve({ status: 200, contentType: '', retryAfter, text: '' }) : failed(error),
      )
    })
    sent.setTimeout(20_000, () => sent.destroy(new Error('no answer')))
    sent.on('error', failed).end(body ?? undefined)
  })
}

async function inParallel<T>(items: T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const work = async () => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: connections }, work))
}

function describeRequest({ method, path, headers, body }: FuzzRequest): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${body ?? ''}`
}
