import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { type Booted, boot } from '@coffer/host/testing/boot'
import { refusalOf } from '@coffer/kit/rpc/errors'
import { WebhookService } from '@coffer/proto/aggregatorsync/v1/webhook'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { anyFaults } from '../faults.ts'
import { type Plaid, startPlaid } from './plaid.ts'
import type { Forged } from './webhook-keys.ts'

const noon = new Date('2026-03-04T12:00:00Z')
const keyPath = '/webhook_verification_key/get'
const json = '{\n  "webhook_type": "ITEM",\n  "webhook_code": "ERROR",\n  "item_id": "none"\n}'

const stack = new AsyncDisposableStack()
let plaid: Plaid
let booted: Booted
let now = noon

beforeAll(async () => {
  plaid = stack.use(await startPlaid({ now: () => now }))
  booted = stack.use(
    await boot([aggregatorSync], {
      COFFER_AGGREGATOR_ENABLED: 'true',
      COFFER_AGGREGATOR_URL: plaid.url,
      COFFER_AGGREGATOR_CLIENT_ID: plaid.clientId,
      COFFER_AGGREGATOR_CLIENT_SECRET: plaid.secret,
      COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
      COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
    }),
  )
})

afterAll(async () => {
  await stack.disposeAsync()
})

beforeEach(async () => {
  // Each test has a minute of its own, and so a new limit of calls for keys.
  later(60 * 60_000 - now.getMilliseconds())
  const { pool } = booted.database('aggregator-sync')
  await pool.query(sql.unsafe`TRUNCATE webhook_receipts`)
})

function later(ms: number): void {
  now = new Date(now.getTime() + ms)
  booted.clock.now = now
}

/** Sends a webhook to the service; resolves to 200 or the status of the refusal. */
async function receive(verification: string, body: string | Uint8Array = json): Promise<number> {
  const client = booted.client('aggregator-sync', WebhookService)
  const sent = { body: Buffer.from(body), verification }
  try {
    await client.receiveWebhook(sent, booted.as(''))
    return 200
  } catch (error) {
    return refusalOf(ConnectError.from(error))?.status || 400
  }
}

const signed = (forged: Forged = {}, body = json) => plaid.webhooks.keys.sign(body, forged)
const keyCalls = () => plaid.calls.filter(({ path }) => path === keyPath).length
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

test('a signed webhook is accepted, whatever its item, type and code', async () => {
  expect(await receive(signed())).toBe(200)
  for (const body of ['{}', '[]', 'null', ' 1.5e3 \n', '"text"', '{"webhook_type":{},"error":7}']) {
    expect([body, await receive(signed({}, body), body)]).toEqual([body, 200])
  }
})

test('a webhook without verification is 401, before its body is read', async () => {
  for (const verification of ['', ' ']) expect(await receive(verification, 'no JSON')).toBe(401)
})

test.each(['', ' ', '{', '{} {}', '{"a":1}x', "{'a':1}", 'NaN', '[1,]', '['.repeat(33)])(
  'the body %j is 400 after its signature was verified, and 401 without one',
  async (body) => {
    expect(await receive(signed({}, body), body)).toBe(400)
    expect(await receive('forged', body)).toBe(401)
  },
)

test('a body over 1 MiB is 400', async () => {
  const text = (length: number) => `"${'x'.repeat(length - 2)}"`
  const [largest, larger] = [text(1024 * 1024), text(1024 * 1024 + 1)]
  expect(await receive(signed({}, largest), largest)).toBe(200)
  expect(await receive(signed({}, larger), larger)).toBe(400)
})

test.each([
  ['no JWT', () => 'verification'],
  ['two parts', () => signed().split('.').slice(0, 2).join('.')],
  ['a header of text', () => `bm8.${signed().split('.').slice(1).join('.')}`],
  ['the algorithm none', () => `${encode({ alg: 'none', kid: current() })}.${claims()}.`],
  ['another algorithm in the header', () => signed({ header: { alg: 'ES384' } })],
  ['no key ID', () => signed({ header: { kid: undefined } })],
  ['a blank key ID', () => signed({ header: { kid: ' ' } })],
  ['a number as key ID', () => signed({ header: { kid: 1 } })],
  ['a long key ID', () => signed({ header: { kid: 'x'.repeat(101) } })],
  ['a header to be understood', () => signed({ header: { crit: ['b64'], b64: false } })],
  ['no signature', () => `${signed().split('.').slice(0, 2).join('.')}.`],
  ['another signature', () => `${signed().slice(0, -8)}AAAAAAAA`],
  ['no time', () => signed({ claims: { iat: undefined } })],
  ['a text as time', () => signed({ claims: { iat: String(now.getTime() / 1000) } })],
  ['no hash', () => signed({ claims: { request_body_sha256: undefined } })],
  ['the hash of another body', () => signed({}, `${json} `)],
  ['a cut hash', () => signed({ claims: { request_body_sha256: hash().slice(1) } })],
  ['a hash and more', () => signed({ claims: { request_body_sha256: `${hash()}00` } })],
])('a token with %s is 401', async (_fault, token) => {
  expect(await receive(token())).toBe(401)
  expect(await receive(signed())).toBe(200)
})

const current = () => plaid.webhooks.keys.current()
const hash = () => createHash('sha256').update(json).digest('hex')
const claims = () => encode({ iat: now.getTime() / 1000, request_body_sha256: hash() })

test('a token of HMAC with the public key as secret is 401', async () => {
  const { x, y } = plaid.webhooks.keys.find(current()) ?? {}
  const input = `${encode({ alg: 'HS256', kid: current() })}.${claims()}`
  for (const secret of [`${x}`, `${x}${y}`, JSON.stringify(plaid.webhooks.keys.find(current()))]) {
    const signature = createHmac('sha256', secret).update(input).digest('base64url')
    expect(await receive(`${input}.${signature}`)).toBe(401)
  }
})

test('a token of another key, under a known ID, is 401', async () => {
  const input = `${encode({ alg: 'ES256', kid: current() })}.${claims()}`
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  const signature = sign('sha256', Buffer.from(input), key).toString('base64url')
  expect(await receive(`${input}.${signature}`)).toBe(401)
})

test('the hash may be in upper case, and the body in any encoding of the same bytes', async () => {
  const upper = { request_body_sha256: hash().toUpperCase() }
  expect(await receive(signed({ claims: upper }))).toBe(200)
})

test.each([
  [-5 * 60_000 - 1_000, 401],
  [-5 * 60_000, 200],
  [0, 200],
  [5_000, 200],
  [6_000, 401],
])('a token signed %i ms from now is %i', async (ms, status) => {
  expect(await receive(signed({ at: new Date(now.getTime() + ms) }))).toBe(status)
})

test('a token of 5 minutes and a millisecond ago is 401', async () => {
  const at = new Date(now.getTime() - 5 * 60_000)
  later(1)
  expect(await receive(signed({ at }))).toBe(401)
})

test('a token of another algorithm is 401 without a call for its key', async () => {
  const before = keyCalls()
  for (const alg of ['HS256', 'ES384', 'none']) {
    expect(await receive(signed({ header: { alg, kid: `other-${alg}` } }))).toBe(401)
  }
  expect(keyCalls()).toBe(before)
})

test('the end of a token is honoured', async () => {
  const at = (seconds: number) => ({ claims: { exp: now.getTime() / 1000 + seconds } })
  expect(await receive(signed(at(60)))).toBe(200)
  expect(await receive(signed(at(-60)))).toBe(401)
})

test('a key is read once in 30 minutes, for webhooks at once too', async () => {
  plaid.webhooks.keys.rotate()
  const before = keyCalls()
  const body = (n: number) => `{"n":${n}}`
  const all = Array.from({ length: 10 }, (_, n) => receive(signed({}, body(n)), body(n)))
  expect(await Promise.all(all)).toEqual(all.map(() => 200))
  later(30 * 60_000 - 1)
  expect(await receive(signed())).toBe(200)
  expect(keyCalls()).toBe(before + 1)
  later(1)
  expect(await receive(signed({}, '{}'), '{}')).toBe(200)
  expect(keyCalls()).toBe(before + 2)
})

test('a key that has expired is 401, whether it was read before or not', async () => {
  const former = plaid.webhooks.keys.rotate()
  plaid.webhooks.keys.expire(former, new Date(now.getTime() + 60_000))
  plaid.webhooks.keys.rotate()
  expect(await receive(signed({ keyId: former }))).toBe(200)
  later(59_999)
  expect(await receive(signed({ keyId: former }, '{}'), '{}')).toBe(200)
  later(1)
  const before = keyCalls()
  for (const _ of [1, 2, 3]) expect(await receive(signed({ keyId: former }))).toBe(401)
  expect(keyCalls()).toBe(before + 1)
  const older = plaid.webhooks.keys.rotate()
  plaid.webhooks.keys.expire(older, now)
  expect(await receive(signed({ keyId: older }))).toBe(401)
})

test('an unknown key is 401, and is looked for again after a minute', async () => {
  const unknown = plaid.webhooks.keys.rotate()
  const token = () => signed({ keyId: unknown })
  const forgotten = token()
  plaid.webhooks.keys.forget(unknown)
  plaid.webhooks.keys.rotate()
  const before = keyCalls()
  expect(await receive(forgotten)).toBe(401)
  expect(await receive(forgotten)).toBe(401)
  expect(keyCalls()).toBe(before + 1)
  later(60_000)
  expect(await receive(forgotten)).toBe(401)
  expect(keyCalls()).toBe(before + 2)
})

test.each([
  ['another curve', { crv: 'P-384' }],
  ['another type', { kty: 'RSA' }],
  ['another algorithm', { alg: 'RS256' }],
  ['a padded coordinate', { x: `${'A'.repeat(43)}=` }],
  ['a point that is not on the curve', { x: 'A'.repeat(43), y: 'A'.repeat(43) }],
])('a key of %s is 401', async (_fault, change) => {
  const keyId = plaid.webhooks.keys.rotate()
  const jwk = plaid.webhooks.keys.find(keyId)
  const token = signed()
  Object.assign(jwk ?? {}, change)
  expect(await receive(token)).toBe(401)
  plaid.webhooks.keys.rotate()
})

test('a webhook whose key cannot be read is 424, and is accepted when it can', async () => {
  plaid.webhooks.keys.rotate()
  const faults = [anyFaults.status(500), anyFaults.status(429), anyFaults.cut(10)]
  for (const fault of faults) {
    plaid.fault(/webhook_verification_key/, fault, 1)
    expect(await receive(signed())).toBe(424)
    // After a 429 the endpoint pauses.
    later(60 * 60_000)
  }
  expect(await receive(signed())).toBe(200)
})

test('forged key IDs reach the limit of calls, while known keys still verify', async () => {
  expect(await receive(signed())).toBe(200)
  const before = keyCalls()
  const statuses: number[] = []
  for (let n = 0; n < 25; n += 1) {
    statuses.push(await receive(signed({ header: { kid: `forged-${n}` } })))
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(19)
  expect(statuses.slice(19)).toEqual(Array(6).fill(424))
  expect(keyCalls()).toBe(before + 19)
  expect(await receive(signed({}, '{}'), '{}')).toBe(200)
})

test('of ten copies of a webhook at once, one is accepted', async () => {
  const token = signed()
  const all = await Promise.all(Array.from({ length: 10 }, () => receive(token)))
  expect(all.toSorted()).toEqual([200, ...Array(9).fill(401)])
  expect(await receive(token)).toBe(401)
  later(1_000)
  expect(await receive(signed())).toBe(200)
})
