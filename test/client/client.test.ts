import { readFile } from 'node:fs/promises'
import { CofferError, createClient, paginate } from '@coffer/client'
import { copyOf, readCopy } from '@coffer/client/build/copy'
import { apiDocument } from '@coffer/client/build/document'
import type { ApiKey, Transaction } from '@coffer/client/types'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import WebSocket from 'ws'
import type { Coffer } from '../harness/coffer.ts'
import { startCuttingProxy } from '../harness/cutting-proxy.ts'
import { listen } from '../providers/http-server.ts'
import { startCofferWithKey } from './key.ts'

const stack = new AsyncDisposableStack()
let coffer: Coffer
let key: ApiKey
let path: { bankAccountId: string }
const date = '2026-03-02T06:00:00Z'

beforeAll(async () => {
  ;({ coffer, key, path } = stack.use(await startCofferWithKey()))
})

afterAll(() => stack.disposeAsync())

function client(baseUrl = coffer.baseUrl) {
  return createClient({ baseUrl, key, WebSocket })
}

async function book(name: string, api = client()): Promise<Transaction> {
  const body = { name, amount: 100, date, adjustsBalance: true }
  const { data } = await api.createTransaction({ path, body })
  return data.transaction
}

test('the copy of the OpenAPI document is today\'s; else run "npm run generate"', () => {
  expect(readCopy()).toBe(copyOf(apiDocument()))
})

describe('retries', () => {
  test('a write is booked once, wherever the connection is cut', async () => {
    await using proxy = await startCuttingProxy(coffer.baseUrl)
    const api = client(proxy.url)
    const replayed: (string | null)[] = []
    for (let bytes = 0; bytes <= 1_200; bytes += 100) {
      proxy.cutAfter(bytes)
      const body = { name: `Cut after ${bytes}`, amount: 100, date }
      const { response } = await api.createTransaction({ path, body })
      replayed.push(response.headers.get('idempotency-replayed'))
    }
    expect(proxy.cuts()).toBeGreaterThan(5)
    expect(replayed).toContain('true')
    const { data } = await client().listTransactions({ path, query: { search: 'Cut after' } })
    expect(data.length).toBe(replayed.length)
  })

  test('an upload is repeated byte for byte', async () => {
    await using proxy = await startCuttingProxy(coffer.baseUrl)
    const content = new Uint8Array(
      await readFile(new URL('../data/no-balances.ofx', import.meta.url)),
    )
    const data = new File([content], 'no-balances.ofx')
    proxy.cutAfter(content.length + 1_000)
    const { data: upload, response } = await client(proxy.url).createUpload({
      path,
      body: { data },
    })
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(proxy.cuts()).toBe(1)
    // Later tests list the transactions.
    const { transactionUploadId } = upload
    const statuses: (string | undefined)[] = []
    for await (const frame of client().watchUpload({ path: { ...path, transactionUploadId } })) {
      statuses.push(frame.status)
    }
    expect(statuses.at(-1)).toBe('complete')
  })

  test('a write without a key is sent once', async () => {
    await using proxy = await startCuttingProxy(coffer.baseUrl)
    const { transactionId } = await book('Sent once')
    proxy.cutAfter(100)
    const change = { path: { ...path, transactionId }, body: { notes: 'x' } }
    await expect(client(proxy.url).updateTransaction(change)).rejects.toThrow('fetch failed')
    expect(proxy.cuts()).toBe(1)
  })

  test('a busy server is asked again after Retry-After, and so often only', async () => {
    let calls = 0
    await using server = await listen((_, response) => {
      calls += 1
      response.writeHead(503, { 'retry-after': '0' }).end('{"error": "Busy"}')
    })
    const api = createClient({ baseUrl: server.origin, key, attempts: 3 })
    const refusal = await api.listLinks().catch((error) => error)
    expect(refusal).toMatchObject({ status: 503, message: 'Busy', retryAfter: 0 })
    expect(calls).toBe(3)
  })

  test('a write without a key is repeated as well if nothing was done', async () => {
    let calls = 0
    await using server = await listen((_, response) => {
      calls += 1
      if (calls === 1) response.writeHead(503, { 'retry-after': '0' }).end('{"error": "Busy"}')
      else if (calls === 2) response.writeHead(200).end()
      else response.writeHead(503).end('A proxy: the server may have the request.')
    })
    const api = createClient({ baseUrl: server.origin, key })
    expect((await api.deleteLink({ path: { linkId: 'link_1' } })).data).toBeNull()
    const refused = api.deleteLink({ path: { linkId: 'link_1' } })
    await expect(refused).rejects.toMatchObject({ message: 'The server answered 503.' })
    expect(calls).toBe(3)
  })

  test('a pause that the server asks for is left out if the time ends in it', async () => {
    await using server = await listen((_, response) => {
      response.writeHead(503, { 'retry-after': '10' }).end('{"error": "Busy"}')
    })
    const api = createClient({ baseUrl: server.origin, key, timeoutMs: 5_000 })
    await expect(api.listLinks()).rejects.toMatchObject({ status: 503, retryAfter: 10 })
  })

  test('the deadline and the signal of the caller end a call', async () => {
    await using server = await listen(() => {})
    const api = createClient({ baseUrl: server.origin, key })
    await expect(api.listLinks({ timeoutMs: 50 })).rejects.toThrow('timeout')
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(api.listLinks({ signal })).rejects.toThrow('stopped')
  })
})

test('errors have a type, with status, problems and ID of the request', async () => {
  const body = { name: '', amount: 100, date }
  const error = await client()
    .createTransaction({ path, body })
    .catch((reason) => reason)
  expect(error).toBeInstanceOf(CofferError)
  expect(error).toMatchObject({ status: 400, problems: { name: expect.any(String) } })
  expect(error.message).toBe(`Invalid request (name: ${error.problems.name})`)
  expect(error.requestId).toMatch(/./)
  const visitor = createClient({ baseUrl: coffer.baseUrl })
  await expect(visitor.getMe()).rejects.toMatchObject({ status: 401 })
})

test.each([
  [{ a: 'is odd', b: { 0: { c: 'is even' } } }, 'No (a: is odd; b.0.c: is even)'],
  [{ a: { oneOf: ['is odd', 'is even'] } }, 'No (a: is odd, or is even)'],
  [
    { oneOf: [{ a: 'is odd', b: 'is even' }, { c: 'is odd' }] },
    'No (a: is odd; b: is even, or c: is odd)',
  ],
  [{ oneOf: [{ a: 'is odd' }, { a: 'is odd', b: 'is even' }] }, 'No (a: is odd)'],
  [{ a: 'x'.repeat(1_000) }, `No (a: ${'x'.repeat(497)}…)`],
])('problems are one line of the message (case %#)', (problems, line) => {
  const response = new Response(null, { status: 400 })
  expect(new CofferError(response, { error: 'No', problems }).message).toBe(line)
})

test('hints end the message', () => {
  const response = new Response(null, { status: 400 })
  const refusal = new CofferError(response, { error: 'No', hints: ['send a', 'leave out b'] })
  expect(refusal.message).toBe('No. Hint: send a; leave out b')
  expect(refusal.hints).toEqual(['send a', 'leave out b'])
  expect(new CofferError(response, { error: 'No' }).hints).toEqual([])
})

test.each(['/api', '/api/', '/'])('the URL of the server may end in %s', async (ending) => {
  const api = createClient({ baseUrl: `${coffer.baseUrl}${ending}`, key })
  expect((await api.listLinks()).response.status).toBe(200)
})

test('a key may be one text', async () => {
  const api = createClient({ baseUrl: coffer.baseUrl, key: `${key.apiKeyId}:${key.secret}` })
  expect((await api.listLinks()).response.status).toBe(200)
})

test.each([
  [{ key: 'ключ:секрет' }, 'The API key has to be `<API key ID>:<secret>`, in ASCII.'],
  [{ key: { apiKeyId: 'key_1', secret: 'é' } }, 'The API key has to be `<API key ID>:<secret>`'],
  [{ key: 'key_1' }, 'The API key has to be `<API key ID>:<secret>`'],
  [{ session: 'coffer_session=ключ' }, 'The session has a character that no header can have'],
])('a credential that cannot be sent is a TypeError (case %#)', (credential, text) => {
  expect(() => createClient({ baseUrl: coffer.baseUrl, ...credential })).toThrow(text)
})

test('an Idempotency-Key that cannot be sent is a TypeError, and nothing is sent', async () => {
  const body = { institutionName: 'Third Bank' }
  const sending = client().createLink({ body, idempotencyKey: 'ключ' })
  await expect(sending).rejects.toThrow('The Idempotency-Key has a character that no header can')
})

test('a page of a proxy is an error that says what came', async () => {
  let calls = 0
  await using proxy = await listen((_, response) => {
    calls += 1
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Sign in</h1>')
  })
  const error = await client(proxy.origin)
    .listLinks()
    .catch((reason) => reason)
  expect(error).toBeInstanceOf(CofferError)
  expect(error).toMatchObject({ status: 200, body: '<h1>Sign in</h1>' })
  expect(error.message).toBe(
    'The answer 200 is text/html, not JSON: it may be that of a proxy, or baseUrl is wrong.',
  )
  expect(calls).toBe(1)
})

test('a picture is data if Accept asks for it', async () => {
  const api = client()
  const headers = { Accept: 'image/svg+xml' }
  const { data } = await api.getForecast({ path, headers })
  expect(data).toBeInstanceOf(Blob)
})

test('a list of several pages is one iteration', async () => {
  for (const n of [1, 2, 3, 4, 5]) await book(`Page ${n}`)
  const names: string[] = []
  const query = { limit: 2, search: 'Page' }
  for await (const { name } of paginate(client().listTransactions, { path, query })) {
    names.push(name ?? '')
  }
  expect(names.sort()).toEqual(['Page 1', 'Page 2', 'Page 3', 'Page 4', 'Page 5'])
  const operations = new Set<string>()
  for await (const { operationId } of paginate(client().listHistory, {
    path,
    query: { limit: 2 },
  })) {
    operations.add(operationId)
  }
  expect(operations.size).toBeGreaterThan(5)
})

test('pages are as large as the list allows, and may begin after some entries', async () => {
  const api = client()
  const links: string[] = []
  for await (const { linkId } of paginate(api.listLinks)) links.push(linkId)
  expect(links.length).toBeGreaterThan(0)
  // Its pages have at most ten entries.
  expect((await paginate(api.listMappings, {}).next()).done).toBe(true)
  const { data: all } = await api.listTransactions({ path, query: { limit: 100 } })
  const rest: string[] = []
  for await (const { transactionId } of paginate(api.listTransactions, {
    path,
    query: { offset: 1, limit: 2 },
  })) {
    rest.push(transactionId)
  }
  expect(rest).toEqual(all.slice(1).map(({ transactionId }) => transactionId))
})

test('ifMatch refuses a change of an object that has changed since', async () => {
  const { transactionId } = await book('Tagged')
  const one = { path: { ...path, transactionId } }
  const { etag: ifMatch } = await client().getTransaction(one)
  const first = await client().updateTransaction({ ...one, ifMatch, body: { notes: 'first' } })
  const second = client().updateTransaction({ ...one, ifMatch, body: { notes: 'second' } })
  await expect(second).rejects.toMatchObject({ status: 412, etag: first.etag })
  const untagged = client().updateTransaction({ ...one, ifMatch: null, body: { notes: 'third' } })
  await expect(untagged).rejects.toThrow('no ETag')
})

test('an answer that the client has is a CofferError of status 304', async () => {
  const { etag } = await client().getBalances({ path })
  const headers = { 'If-None-Match': etag ?? '' }
  await expect(client().getBalances({ path, headers })).rejects.toMatchObject({ status: 304, etag })
})

test('an answer without a body has no data', async () => {
  const link = await client().createLink({ body: { institutionName: 'Second Bank' } })
  const { linkId } = link.data
  expect((await client().deleteLink({ path: { linkId } })).data).toBeNull()
})
