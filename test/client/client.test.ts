import { readFile } from 'node:fs/promises'
import { CofferError, createClient, paginate, sessionOf } from '@coffer/client'
import { apiDocument, copyOf, readCopy } from '@coffer/client/build/document'
import type { Transaction } from '@coffer/client/types'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import WebSocket from 'ws'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { startCuttingProxy } from '../harness/cutting-proxy.ts'
import { listen } from '../providers/http-server.ts'

let coffer: Coffer
let key: { apiKeyId: string; secret?: string }
let path: { bankAccountId: string }
const stack = new AsyncDisposableStack()
const date = '2026-03-02T06:00:00Z'

beforeAll(async () => {
  coffer = stack.use(await startCoffer())
  const person = await coffer.person()
  const visitor = createClient({ baseUrl: coffer.baseUrl })
  const { email, password } = person
  const session = sessionOf(await visitor.signIn({ body: { email, password } }))
  const signedIn = createClient({ baseUrl: coffer.baseUrl, session })
  key = (await signedIn.createApiKey({ body: { name: 'client' } })).data
  path = { bankAccountId: (await person.createBankAccount()).id }
})

afterAll(() => stack.disposeAsync())

function client(baseUrl = coffer.baseUrl) {
  return createClient({ baseUrl, key, WebSocket })
}

async function book(name: string, api = client()): Promise<Transaction> {
  const { data } = await api.createTransaction({ path, body: { name, amount: 100, date } })
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
    const { response } = await client(proxy.url).createUpload({ path, body: { data } })
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(proxy.cuts()).toBe(1)
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
  expect(error.requestId).toMatch(/./)
  const visitor = createClient({ baseUrl: coffer.baseUrl })
  await expect(visitor.getMe()).rejects.toMatchObject({ status: 401 })
})

test('a list of several pages is one iteration', async () => {
  for (const n of [1, 2, 3, 4, 5]) await book(`Page ${n}`)
  const names: string[] = []
  const query = { limit: 2, search: 'Page' }
  for await (const { name } of paginate(client().listTransactions, { path, query })) {
    names.push(name ?? '')
  }
  expect(names.sort()).toEqual(['Page 1', 'Page 2', 'Page 3', 'Page 4', 'Page 5'])
})

test('ifMatch refuses a change of an object that has changed since', async () => {
  const { transactionId } = await book('Tagged')
  const one = { path: { ...path, transactionId } }
  const { etag } = await client().getTransaction(one)
  const ifMatch = etag ?? ''
  const first = await client().updateTransaction({ ...one, ifMatch, body: { notes: 'first' } })
  const second = client().updateTransaction({ ...one, ifMatch, body: { notes: 'second' } })
  await expect(second).rejects.toMatchObject({ status: 412, etag: first.etag })
})

test('an answer without a body has no data', async () => {
  const link = await client().createLink({ body: { institutionName: 'Second Bank' } })
  const { linkId } = link.data
  expect((await client().deleteLink({ path: { linkId } })).data).toBeNull()
})

test('a socket yields the frames of an upload until it is complete', async () => {
  const content = await readFile(new URL('../data/checking.qfx', import.meta.url))
  const data = new File([new Uint8Array(content)], 'checking.qfx')
  const { data: upload } = await client().createUpload({ path, body: { data } })
  const { transactionUploadId } = upload
  const statuses: string[] = []
  for await (const frame of client().watchUpload({ path: { ...path, transactionUploadId } })) {
    statuses.push(frame.status ?? '')
  }
  expect(statuses.at(-1)).toBe('complete')
  const unknown = { bankAccountId: path.bankAccountId, transactionUploadId: 'txup_1' }
  const refused = client().watchUpload({ path: unknown }).next()
  await expect(refused).rejects.toThrow('400')
})
