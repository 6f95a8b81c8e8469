import { afterEach, expect, test } from '@jest/globals'
import { basic, bySession, createGateway, type Gateway } from '../gateway.ts'
import { ids, key } from '../samples.ts'
import { apiKey } from '../stub-mesh.ts'

const byReader = { authorization: basic(apiKey.apiKeyId, 'reader') }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a key of scope read may read', async () => {
  gateway = await createGateway({ links: { listLinks: () => ({ links: [] }) } })
  expect((await gateway.send('GET', '/api/links', { as: byReader })).status).toBe(200)
  const { caller } = gateway.received.at(-1)!
  expect(caller).toMatchObject({ kind: 'key', isReadOnly: true })
  const icon = { as: byReader, body: { name: 'no brand is called this' } }
  expect((await gateway.send('POST', '/api/icons/search', icon)).status).toBe(204)
})

test.each([
  ['POST', '/api/links'],
  ['PATCH', `/api/links/${ids.linkId}`],
  ['DELETE', `/api/links/${ids.linkId}`],
])('a key of scope read gets 403 on %s %s with any body', async (method, path) => {
  gateway = await createGateway({})
  const answer = await gateway.send(method, path, { as: byReader, body: {} })
  const error = 'this API key may only read: use one of scope full'
  expect([answer.status, answer.body]).toEqual([403, { error }])
  expect(gateway.received.map(({ rpc }) => rpc)).toEqual(['VerifyApiKey'])
})

test('a key is created with or without an expiry and a scope', async () => {
  gateway = await createGateway({ apiKeys: { createApiKey: () => ({ apiKey: key }) } })
  const create = (more: object) =>
    gateway.send('POST', '/api/keys', { as: bySession, body: { name: 'Script', ...more } })
  const limited = await create({ expiresAt: '2027-01-01T00:00:00Z', scope: 'read' })
  expect(limited.status).toBe(200)
  expect(gateway.received.at(-1)!.message).toMatchObject({
    name: 'Script',
    expiresAt: { seconds: BigInt(Date.UTC(2027, 0, 1) / 1000) },
    scope: 'read',
  })
  expect((await create({ expiresAt: null })).status).toBe(200)
  const wrong = await create({ expiresAt: 'tomorrow', scope: 'write' })
  expect([wrong.status, Object.keys(wrong.body.problems)]).toEqual([400, ['expiresAt', 'scope']])
})
