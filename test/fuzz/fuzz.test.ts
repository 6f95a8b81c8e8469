import { Agent, request as httpRequest } from 'node:http'
import { newId } from '@coffer/kit/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { call, type Person } from '../harness/person.ts'
import { type FuzzRequest, type Knowledge, type Reference, requestsTo } from './requests.ts'

/** Of a failed run, to see the same requests again. */
const seed = Number(process.env.COFFER_TEST_SEED ?? Date.now() % 2 ** 31)
const batchSize = 500
const connections = 8
const timeoutMs = 300_000

// Whatever a request asks, no answer tells of the code, the queries or a kept secret.
const leaks = /node_modules|\bat \S+ \(|\.ts:\d|SELECT |INSERT |UPDATE |\$argon2|relation "|pg_/

let coffer: Coffer
let agent: Agent
let reference: Reference
let bystander: Person

beforeAll(async () => {
  coffer = await startCoffer({ COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000' })
  agent = new Agent({ keepAlive: true, maxSockets: connections })
  reference = (await call(coffer.baseUrl, 'GET', '/openapi.json')).body
  bystander = await coffer.person()
})

afterAll(async () => {
  agent?.destroy()
  await coffer?.[Symbol.asyncDispose]()
})

const isIdentity = (path: string) =>
  /^\/api\/(authentication|users|keys|sessions|billing|config|stripe)/.test(path)

describe('requests of every shape, right and wrong', () => {
  test.each([
    ['identity', isIdentity, 20_000],
    ['everything else', (path: string) => !isIdentity(path), 8_000],
  ])(
    'are answered without a failure or a leak: %s',
    async (_name, isWanted, total) => {
      const before = await everythingOf(bystander)
      const faults: string[] = []
      const statuses = new Map<number, number>()
      for (let sent = 0; sent < total; sent += batchSize) {
        const requests = fc.sample(requestsTo(reference, isWanted, await knowledge()), {
          numRuns: batchSize,
          seed: seed + sent,
        })
        await inParallel(requests, async (request) => {
          const answer = await send(request)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          const fault = faultOf(answer)
          if (fault) faults.push(`${describeRequest(request)}\n  ${fault}`)
        })
      }
      expect({ seed, faults: faults.slice(0, 10) }).toEqual({ seed, faults: [] })
      // Enough of it got through to what is behind the checks.
      expect(statuses.get(200)).toBeGreaterThan(total / 100)
      expect(statuses.get(400)).toBeGreaterThan(total / 100)
      expect(await everythingOf(bystander)).toEqual(before)
    },
    timeoutMs,
  )
})

/** Somebody new, with their credentials and what they have. */
async function knowledge(): Promise<Knowledge> {
  const person = await coffer.person()
  const { cookie, authorization, email, password } = person
  const { id, linkId, path } = await person.opensAccount()
  const { transaction } = await person.post(`${path}/transactions`, {
    amount: 100,
    name: 'Tea',
    date: '2026-03-02T06:00:00Z',
  })
  const keys = (await person.call('GET', '/keys', { asSession: true })).body
  return {
    credentials: [{ cookie }, { cookie }, { cookie }, { authorization }, {}, { cookie: 'x=y' }],
    known: {
      email: [email, bystander.email, 'nobody@example.com'],
      password: [password, 'another long enough password'],
      currentPassword: [password, 'not the password at all'],
      newPassword: [password],
      apiKeyId: [keys[0]?.apiKeyId, newId('key')],
      bankAccountId: [id, id, id, newId('bac')],
      linkId: [linkId, newId('link')],
      transactionId: [transaction.transactionId, newId('txn')],
      userId: [newId('user')],
      sessionId: [newId('sess')],
      timezone: ['America/Chicago'],
      locale: ['en_US'],
      currency: ['USD'],
    },
  }
}

/** What belongs to somebody who takes no part. */
async function everythingOf(person: Person) {
  const read = async (path: string) => (await person.call('GET', path, { asSession: true })).body
  return [await read('/users/me'), await read('/links'), await read('/bank_accounts')]
}

interface Answer {
  status: number
  contentType: string
  text: string
}

function faultOf({ status, contentType, text }: Answer): string | null {
  if (status >= 500) return `${status} ${text}`
  if (leaks.test(text)) return `leaks: ${text.slice(0, 300)}`
  if (text.includes(bystander.email) || text.includes(bystander.accountId)) {
    return `shows somebody else: ${text.slice(0, 300)}`
  }
  if (status < 400) return null
  const isJson = contentType.includes('application/json')
  const says = isJson ? JSON.parse(text).error : null
  return typeof says === 'string' && says !== '' ? null : `${status} without an error: ${text}`
}

function send({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const failed = ({ message }: Error) => reject(new Error(`${message}: ${method} ${path}`))
    const length = { 'content-length': Buffer.byteLength(body ?? '') }
    const options = { agent, method, headers: body === null ? headers : { ...headers, ...length } }
    const sent = httpRequest(`${coffer.baseUrl}${path}`, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      const contentType = answer.headers['content-type'] ?? ''
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, contentType, text }))
      // The copy of an account is cut off where its session ends meanwhile; nothing else is.
      const isCopy = path.startsWith('/api/users/me/export')
      answer.on('error', (error) =>
        isCopy ? resolve({ status: 200, contentType, text }) : failed(error),
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
