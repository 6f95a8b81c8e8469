import {
  ChangesRemovedError,
  type Coffer as Client,
  createClient,
  type FollowOptions,
  followChanges,
} from '@coffer/client'
import { messagesOf } from '@coffer/client/stream'
import type { ApiKey } from '@coffer/client/types'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Coffer } from '../harness/coffer.ts'
import { startCuttingProxy } from '../harness/cutting-proxy.ts'
import { listen } from '../providers/http-server.ts'
import { startCofferWithKey } from './key.ts'

const stack = new AsyncDisposableStack()
let coffer: Coffer
let key: ApiKey
let path: { bankAccountId: string }

beforeAll(async () => {
  ;({ coffer, key, path } = stack.use(await startCofferWithKey()))
})

afterAll(() => stack.disposeAsync())

const client = (baseUrl = coffer.baseUrl) => createClient({ baseUrl, key })
const types = 'transaction.created'
const ways = ['stream', 'polls'] as const

async function book(name: string): Promise<string> {
  const body = { name, amount: 100, date: '2026-03-02T06:00:00Z' }
  return (await client().createTransaction({ path, body })).data.transaction.transactionId
}

/** Follows the feed until it has had `count` changes; returns their objects and the cursor. */
async function follow(api: Client, options: FollowOptions, count: number, first?: () => unknown) {
  const objectIds: string[] = []
  let isFirst = true
  for await (const { changes, nextCursor } of followChanges(api, options)) {
    objectIds.push(...changes.map(({ objectId }) => objectId))
    if (objectIds.length >= count) return { objectIds, nextCursor }
    if (isFirst) await first?.()
    isFirst = false
  }
  throw new Error('the feed has no end')
}

test.each(ways)('a reader by %s sees each change once, and goes on from its cursor', async (by) => {
  const made: string[] = []
  const begun = await follow(client(), { by, query: { types } }, 1, async () =>
    made.push(await book('first')),
  )
  for (const name of ['second', 'third']) made.push(await book(name))
  const query = { types, after: begun.nextCursor }
  const rest = await follow(client(), { by, query }, 2)
  expect([...begun.objectIds, ...rest.objectIds]).toEqual(made)
})

test.each(ways)('a reader by %s misses nothing when connections are cut', async (by) => {
  await using proxy = await startCuttingProxy(coffer.baseUrl)
  const made: string[] = []
  const cuts = [0, 100, 200, 300]
  let telling = Promise.resolve()
  // Each cut is waited for: a stream or a poll has more bytes.
  const tell = async () => {
    for (const [before, bytes] of cuts.entries()) {
      proxy.cutAfter(bytes)
      made.push(await book(`Cut after ${bytes}`))
      await eventually(
        async () => proxy.cuts(),
        (count) => count > before,
      )
    }
  }
  const start = () => {
    telling = tell()
  }
  const options = { by, query: { types } }
  const { objectIds } = await follow(client(proxy.url), options, cuts.length, start)
  await telling
  expect(objectIds).toEqual(made)
})

const page = (nextCursor: string) => JSON.stringify({ changes: [], nextCursor, hasMore: false })
const json = { 'content-type': 'application/json' }

test('where a proxy holds streams back, polls follow', async () => {
  const paths: string[] = []
  await using server = await listen(({ url }, response) => {
    paths.push(url?.split('?')[0] ?? '')
    response.writeHead(200, json).end(page(`c${paths.length}`))
  })
  const pages = followChanges(client(server.origin))
  expect((await pages.next()).value).toMatchObject({ nextCursor: 'c2' })
  expect(paths).toEqual(['/api/changes/stream', '/api/changes'])
  await pages.return()
})

test.each([
  [410, { error: 'gone', code: 'CHANGES_REMOVED' }, ChangesRemovedError],
  [401, { error: 'no' }, /^no$/],
])('a refusal %d ends the loop, also of a stream that comes later', async (status, body, error) => {
  let calls = 0
  await using server = await listen((_, response) => {
    calls += 1
    if (calls === 2) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`retry: 1\n\n: comment\n\nid: c1\ndata: ${page('c1')}\n\n`)
    } else response.writeHead(status, json).end(JSON.stringify(body))
  })
  const first = followChanges(client(server.origin)).next()
  await expect(first).rejects.toThrow(error)
  const pages = followChanges(client(server.origin))
  expect((await pages.next()).value).toMatchObject({ nextCursor: 'c1' })
  await expect(pages.next()).rejects.toThrow(error)
})

test('the signal ends the loop, and a server that was never reached is an error', async () => {
  const stop = new AbortController()
  const pages = followChanges(client(), { signal: stop.signal })
  await pages.next()
  const next = pages.next()
  stop.abort(new Error('stopped'))
  await expect(next).rejects.toThrow('stopped')
  const nowhere = createClient({ baseUrl: 'http://127.0.0.1:9', key, attempts: 1 })
  await expect(followChanges(nowhere).next()).rejects.toThrow('fetch failed')
})

test('the end of a credential ends the stream, and the loop by its refusal', async () => {
  const { session } = await coffer.person()
  const { data: other } = await session.createApiKey({ body: { name: 'other' } })
  const pages = followChanges(createClient({ baseUrl: coffer.baseUrl, key: other }))
  await pages.next()
  await session.deleteApiKey({ path: { apiKeyId: other.apiKeyId }, body: {} })
  const readOn = async () => {
    for await (const _ of pages);
  }
  await expect(readOn()).rejects.toMatchObject({ status: 401 })
})

test('events may be split anywhere, and a stream that falls silent is lost', async () => {
  const text = `: hi\r\n\r\ndata: {"a":\r\ndata: "ä"}\r\n\r\ndata: {"b": 2}\n\ndata: {"c"`
  const body = new ReadableStream({
    start: (controller) => {
      for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte))
    },
  })
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const messages = messagesOf(async () => ({ data: response.body, etag: null, response }), {
    silentMs: 20,
  })
  expect((await messages.next()).value).toEqual({ a: 'ä' })
  expect((await messages.next()).value).toEqual({ b: 2 })
  await expect(messages.next()).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('the signal ends a stream whose request has forgotten it', async () => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('\n')) })
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const stopping = new AbortController()
  const open = async () => ({ data: response.body, etag: null, response })
  const next = messagesOf(open, { signal: stopping.signal }).next()
  stopping.abort(new Error('stopped'))
  await expect(next).rejects.toThrow('stopped')
})
