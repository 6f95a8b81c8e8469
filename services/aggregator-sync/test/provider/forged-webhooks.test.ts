import { createHash, randomUUID } from 'node:crypto'
import { createDatabase } from '@coffer/host/database/pool'
import { createLog } from '@coffer/host/logger'
import { cloneDatabase } from '@coffer/host/testing/database'
import type { Database } from '@coffer/kit/database/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { permitCall } from '../../src/provider/call-limit.sql.ts'
import { endpoints } from '../../src/provider/call-limit.ts'
import { startAggregator } from '../../src/provider/provider.service.ts'
import { aggregatorSync } from '../../src/service.ts'
import { webhookRoutes } from '../../src/webhooks/webhook.rpc.ts'
import { answer, fail, type PlaidServer, startPlaidServer } from './plaid-server.ts'

const stack = new AsyncDisposableStack()
const lines: string[] = []
const log = createLog({ level: 'info', name: 'test', to: { write: (line) => lines.push(line) } })
let now = new Date('2026-03-04T12:00:01Z')
let transactions = 0
let replica: Database
let plaid: PlaidServer
let routes: ReturnType<typeof webhookRoutes>
let key: CryptoKey

const body = Buffer.from('{"webhook_type":"ITEM","webhook_code":"ERROR","item_id":"none"}')

beforeAll(async () => {
  const { url } = stack.use(await cloneDatabase([aggregatorSync]))
  const { schema } = aggregatorSync
  const limits = { poolSizeMax: 5, statementTimeoutMs: 10_000 }
  const opened = stack.use(await createDatabase({ url, schema, ...limits, serverClock: () => now }))
  replica = opened
  const database: Database = {
    ...opened,
    transaction: (work) => {
      transactions += 1
      return opened.transaction(work)
    },
  }
  plaid = stack.use(await startPlaidServer())
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const { x, y } = await exportJWK(publicKey)
  key = privateKey
  const jwk = { alg: 'ES256', crv: 'P-256', kty: 'EC', kid: 'real', x, y, use: 'sig' }
  plaid.serve = (response, request) => {
    const isReal = JSON.stringify(request).includes('real')
    if (isReal) answer(response, 200, { key: { ...jwk, created_at: 1, expired_at: null } })
    else fail(response, 400, { code: 'INVALID_WEBHOOK_VERIFICATION_KEY_ID' })
  }
  const options = {
    url: plaid.url,
    clientId: 'client',
    clientSecret: 'secret',
    countryCodes: ['US'],
    redirectUri: null,
    itemCallsPerMinute: 50,
  }
  const { open } = stack.use(startAggregator({ database, log }, options))
  const config = { aggregatorEnabled: true, webhooksEnabled: true }
  const deps = { config, database, log, clock: () => now, broker: null, openAggregator: open }
  routes = webhookRoutes(deps as unknown as Parameters<typeof webhookRoutes>[0])
})

afterAll(async () => {
  await stack.disposeAsync()
})

async function send(kid: string): Promise<string> {
  const request_body_sha256 = createHash('sha256').update(body).digest('hex')
  const claims = { iat: Math.floor(now.getTime() / 1_000), request_body_sha256 }
  const header = { alg: 'ES256', kid }
  const verification = await new SignJWT(claims).setProtectedHeader(header).sign(key)
  const call = routes.receiveWebhook as (request: object) => Promise<object>
  return call({ body, verification }).then(
    () => 'accepted',
    (error: Error) => error.message.replace(/^.*?\] /, ''),
  )
}

const unread = 'the key of the verification could not be read'

test('forged webhooks cost calls and lines by the minute, and real ones are accepted', async () => {
  expect(await send('real')).toBe('accepted')
  // The known key is to be read again, and the minute has calls left for forged ones only.
  now = new Date(now.getTime() + 31 * 60_000)
  const before = transactions
  const forged = await Promise.all(Array.from({ length: 300 }, () => send(randomUUID())))
  expect(new Set(forged)).toEqual(
    new Set(['the key of the verification is not known or has expired', unread]),
  )
  expect(forged.filter((text) => text === unread).length).toBeGreaterThanOrEqual(280)
  expect(transactions - before).toBe(20)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ reason: 'rate-limited', webhooks: 1 }),
  ])
  expect(lines.join()).not.toMatch(/stack|\.ts:/)
  expect(await send('real')).toBe('accepted')
  // The transaction of its effect.
  expect(transactions - before).toBe(21)

  now = new Date(now.getTime() + 60_000)
  expect(await send(randomUUID())).toMatch('is not known')
})

test('a limit that another replica has reached is remembered', async () => {
  now = new Date(now.getTime() + 60_000)
  const { path, clientMax } = endpoints.webhookVerificationKeyGet
  const call = { path, clientMax, item: null, now }
  for (let count = 0; count < clientMax; count += 1) await permitCall(replica, call)
  const before = transactions
  expect(await send(randomUUID())).toBe(unread)
  expect(transactions - before).toBe(1)
  expect(await send(randomUUID())).toBe(unread)
  expect(transactions - before).toBe(1)
})
