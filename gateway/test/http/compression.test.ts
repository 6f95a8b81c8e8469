import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'

const institutionName = 'First Bank '.repeat(25)
const link = { linkId: ids.linkId, institutionName }
const rows = Array.from({ length: 1_000 }, (_, row) => JSON.stringify(`row ${row}`))

let gateway: Gateway
let server: Awaited<ReturnType<typeof startGateway>>
let isFailing = false
beforeAll(async () => {
  gateway = await createGateway({
    links: {
      listLinks: () => ({ links: Array.from({ length: 10 }, () => link) }),
      getLink: () => ({ link: { ...link, description: 'x'.repeat(2_000) } }),
    },
    apiKeys: {
      createApiKey: () => ({ apiKey: { name: 'x'.repeat(2_000) }, secret: 's'.repeat(2_000) }),
    },
    users: { getMe: () => ({}) },
    accountData: {
      // The export never ends: each page has a next one.
      readAccountData: () => {
        if (isFailing) throw new Error('the tables are gone')
        return { table: 'rows', rows, next: { table: 'rows', key: ['1'] } }
      },
    },
  })
  server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

/** Requests over `inject`, which keeps the bytes of a body. */
async function get(url: string, accept: string, method: 'GET' | 'HEAD' = 'GET') {
  const headers = { ...byKey, 'accept-encoding': accept }
  return await gateway.app.inject({ method, url, headers })
}

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

test.each([
  ['zstd', 'gzip, deflate, br, zstd'],
  ['br', 'gzip, deflate, br'],
  ['gzip', 'gzip'],
  ['gzip', '*'],
] as const)('a list is compressed by %s for Accept-Encoding: %s', async (coding, accept) => {
  const plain = await get('/api/links', 'identity')
  const answer = await get('/api/links', accept)
  expect(answer.headers['content-encoding']).toBe(coding)
  expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
  expect(decoders[coding](answer.rawPayload).toString()).toBe(plain.body)
})

test('HEAD has the headers of GET, and both vary by Accept-Encoding', async () => {
  for (const accept of ['gzip', 'identity', 'unknown']) {
    const { date: _, 'x-request-id': _id, ...got } = (await get('/api/links', accept)).headers
    const head = await get('/api/links', accept, 'HEAD')
    expect(got.vary).toBe('accept-encoding')
    expect([head.headers, head.body]).toEqual([expect.objectContaining(got), ''])
  }
})

test.each([
  ['under 1 KiB', 'GET', '/api/health', undefined],
  ['with a secret', 'POST', '/api/keys', { name: 'mine' }],
] as const)('an answer %s is not compressed', async (_name, method, url, body) => {
  const headers = { 'accept-encoding': 'gzip' }
  const answer = await gateway.send(method, url, { as: bySession, headers, body })
  expect(answer.status).toBe(200)
  expect(answer.headers).not.toHaveProperty('content-encoding')
})

test('a strong tag keeps an object as it is; a weak tag holds for every coding', async () => {
  const object = (await get(`/api/links/${ids.linkId}`, 'gzip')).headers
  expect([object.etag, object['content-encoding']]).toEqual([
    expect.stringMatching(/^"/),
    undefined,
  ])
  const plain = (await get('/api/links', 'identity')).headers.etag
  expect(plain).toMatch(/^W\//)
  expect((await get('/api/links', 'gzip')).headers.etag).toBe(plain)
})

test('an export is compressed while it is read', async () => {
  const answer = await exported()
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip'])
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  const body = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.length < 1_000_000) text += (await body?.read())?.value
  expect(text).toMatch(/^\{"format":1.*"rows":\["row 0","row 1"/)
  await body?.cancel()
})

test('an export that fails before its first byte is an error in plain bytes', async () => {
  isFailing = true
  const answer = await exported()
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([500, null])
  expect(await answer.json()).toMatchObject({ error: 'internal error' })
})

async function exported(): Promise<Response> {
  const url = `http://127.0.0.1:${server.port}/api/users/me/export`
  return await fetch(url, { headers: { ...bySession, 'accept-encoding': 'gzip' } })
}
