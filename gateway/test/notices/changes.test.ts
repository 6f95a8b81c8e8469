import { setTimeout as sleep } from 'node:timers/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { refused, unavailable } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const prefix = newId('t')
const subject = (name: string) => `${prefix}.${name}`
const never = { pollMs: 600_000, limitMs: 600_000 }
const change = {
  changeId: 'chg_1-0',
  type: 'link.updated',
  at: timestampFromDate(new Date('2026-01-02T03:04:05Z')),
  objectId: ids.linkId,
  version: 7n,
  actor: 'key',
}
const cursorOf = (position: string) => Buffer.from(JSON.stringify([position])).toString('base64url')

let connection: NatsConnection
let gateway: Gateway
beforeAll(async () => {
  connection = await connect({ servers: process.env.COFFER_TEST_NATS_URL ?? '' })
})
afterAll(async () => await connection.close())
afterEach(async () => await gateway[Symbol.asyncDispose]())

type Page = { changes?: (typeof change)[]; position: bigint; hasMore?: boolean } | Error

/** Creates the gateway. Each read of the feed takes the next of `pages`, then the last again. */
async function start(
  pages: Page[],
  more: { pollMs?: number; silentMs?: number; draining?: AbortSignal; identity?: object } = {},
) {
  const { pollMs = never.pollMs, silentMs = 15_000, identity = {}, ...rest } = more
  const left = [...pages]
  const listChanges = () => {
    const [page = { position: 0n }] = left.length > 1 ? left.splice(0, 1) : left
    if (page instanceof Error) throw page
    return page
  }
  const broker = { connection, hasConnected: () => true, subject }
  const progressTimes = { ...never, pollMs, silentMs }
  const services = { feed: { listChanges }, ...identity }
  gateway = await createGateway(services, {}, { broker, progressTimes, ...rest })
}

const reads = () => gateway.received.filter(({ rpc }) => rpc === 'ListChanges')

/** Resolves after the gateway has read the feed so often. */
async function untilRead(count: number): Promise<void> {
  for (let waits = 0; reads().length < count && waits < 500; waits += 1) await sleep(10)
}

test('a page has the changes, the next cursor and a link to the next page', async () => {
  await start([{ changes: [change], position: 12n, hasMore: true }])
  const url = `/api/changes?limit=1&types=link.updated&after=${cursorOf('7')}`
  const { status, body, headers } = await gateway.send('GET', url)
  expect([status, body]).toEqual([
    200,
    {
      changes: [
        {
          changeId: 'chg_1-0',
          type: 'link.updated',
          at: '2026-01-02T03:04:05Z',
          objectId: ids.linkId,
          bankAccountId: null,
          version: 7,
          actor: 'key',
          causeId: null,
        },
      ],
      nextCursor: cursorOf('12'),
      hasMore: true,
    },
  ])
  const rest = `limit=1&types=link.updated&after=${cursorOf('12')}`
  expect(headers.link).toBe(`</api/changes?${rest}>; rel="next"`)
  expect(reads()[0]?.message).toMatchObject({ after: 7n, limit: 1, types: ['link.updated'] })
})

test.each([
  ['after=no-cursor', 'after', 'must be latest, or a cursor from an earlier answer'],
  [`after=${cursorOf('-1')}`, 'after', 'must be latest, or a cursor from an earlier answer'],
  ['types=link.updated,car.sold', 'types', expect.stringMatching(/^does not know car.sold: use /)],
  ['wait=31', 'wait', 'must be between 0 and 30'],
  ['include=all', 'include', 'must be object'],
  ['type=link.updated', 'type', 'no such parameter: write types'],
])('%s is 400', async (query, key, problem) => {
  await start([])
  const { status, body } = await gateway.send('GET', `/api/changes?${query}`)
  expect([status, body.problems]).toEqual([400, { [key]: problem }])
})

test('a cursor that is too old is 410', async () => {
  await start([refused('gone', { status: 410, code: 'CHANGES_REMOVED' })])
  const { status, body } = await gateway.send('GET', `/api/changes?after=${cursorOf('7')}`)
  expect([status, body.code]).toEqual([410, 'CHANGES_REMOVED'])
})

test('latest answers at once with the end of the feed', async () => {
  await start([{ position: 12n }])
  const { body } = await gateway.send('GET', '/api/changes?after=latest&wait=30')
  expect(body).toEqual({ changes: [], nextCursor: cursorOf('12'), hasMore: false })
  expect(reads()[0]?.message).toMatchObject({ fromEnd: true })
})

test('a wait ends with the change that a message tells of', async () => {
  await start([{ position: 7n }, { position: 7n }, { changes: [change], position: 8n }])
  const waiting = gateway.send('GET', `/api/changes?wait=30&after=${cursorOf('7')}`)
  await untilRead(2)
  connection.publish(subject(`progress.${alice.accountId}.changes`))
  expect((await waiting).body).toMatchObject({ changes: [{}], nextCursor: cursorOf('8') })
})

test('a wait outlasts a service that is away, and finds a change without a message', async () => {
  await start(
    [{ position: 7n }, unavailable('away'), { position: 7n }, { changes: [change], position: 8n }],
    { pollMs: 5 },
  )
  const { body } = await gateway.send('GET', `/api/changes?wait=30&after=${cursorOf('7')}`)
  expect(body.nextCursor).toBe(cursorOf('8'))
})

const away = unavailable('away')
const streamUrl = '/api/changes/stream'
const asEvents = { accept: 'text/event-stream' }

test.each<[string, Page[], number, object]>([
  ['comes back', [away, away, { position: 8n }], 200, { nextCursor: cursorOf('8') }],
  ['stays away', [away], 503, { error: 'away' }],
])('a wait outlasts a service that is away from its start on and %s', async (_, pages, ...end) => {
  await start(pages, { pollMs: 5 })
  const { status, body } = await gateway.send('GET', `/api/changes?wait=1&after=${cursorOf('7')}`)
  expect([status, body]).toMatchObject(end)
})

test('the credential of a reader is verified again while identity is away', async () => {
  let calls = 0
  const verifyApiKey = () => {
    calls += 1
    if (calls !== 2) throw away
    return { credential: alice }
  }
  await start([{ changes: [change], position: 8n }], { identity: { signIn: { verifyApiKey } } })
  const url = `/api/changes?after=${cursorOf('7')}`
  expect([(await gateway.send('GET', url)).status, calls]).toEqual([200, 2])
})

test('a reader without a cursor, or without a wait, is told that the service is away', async () => {
  await start([away])
  for (const query of ['wait=30', 'wait=30&after=latest', `after=${cursorOf('7')}`]) {
    expect((await gateway.send('GET', `/api/changes?${query}`)).status).toBe(503)
  }
})

test('a stream after a cursor begins while the service is away', async () => {
  const stopping = new AbortController()
  await start([away, away, { position: 8n, changes: [change] }], { draining: stopping.signal })
  const headers = { ...asEvents, 'last-event-id': cursorOf('7') }
  const streaming = gateway.send('GET', streamUrl, { headers })
  await untilRead(2)
  connection.publish(subject(`progress.${alice.accountId}.changes`))
  await untilRead(3)
  stopping.abort()
  expect((await streaming).text).toContain(`retry: 1000\n\nid: ${cursorOf('8')}\n`)
})

test.each<[string, Page]>([
  ['', { position: 7n }],
  [', also if the service is away', away],
])('a wait of a process that stops is answered at once, with its cursor%s', async (_, page) => {
  const stopping = new AbortController()
  await start([page], { draining: stopping.signal })
  const waiting = gateway.send('GET', `/api/changes?wait=30&after=${cursorOf('7')}`)
  await untilRead(2)
  stopping.abort()
  expect((await waiting).body).toEqual({ changes: [], nextCursor: cursorOf('7'), hasMore: false })
})

test('an account has twenty waits at a time', async () => {
  const stopping = new AbortController()
  await start([{ position: 7n }], { draining: stopping.signal })
  const url = `/api/changes?wait=30&after=${cursorOf('7')}`
  const waits = Array.from({ length: 20 }, () => gateway.send('GET', url))
  await untilRead(40)
  expect((await gateway.send('GET', url)).status).toBe(429)
  stopping.abort()
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

const eventText = (position: string, changes: string) =>
  [
    `id: ${cursorOf(position)}`,
    'event: changes',
    `data: {"changes":${changes},"nextCursor":"${cursorOf(position)}","hasMore":false}\n\n`,
  ].join('\n')

test('a stream sends each page with its cursor, and a time to connect again', async () => {
  const stopping = new AbortController()
  const pages = [{ position: 7n }, unavailable('away'), { changes: [change], position: 8n }]
  await start(pages, { draining: stopping.signal })
  const streaming = gateway.send('GET', streamUrl, { headers: asEvents })
  await untilRead(2)
  connection.publish(subject(`progress.${alice.accountId}.changes`))
  await untilRead(3)
  stopping.abort()
  const { status, text, headers } = await streaming
  const [first, second, ...rest] = text.split('\n\n').map((one) => `${one}\n\n`)
  const { 'content-type': type, connection: end } = headers
  expect([status, type, end]).toEqual([200, 'text/event-stream', 'close'])
  expect([first, second]).toEqual(['retry: 1000\n\n', eventText('7', '[]')])
  const start8 = `id: ${cursorOf('8')}\nevent: changes\ndata: {"changes":[{`
  expect(rest.join('')).toContain(start8)
  expect(text.endsWith('retry: 1000\n\n')).toBe(true)
  expect(reads()[0]?.message).toMatchObject({ fromEnd: true })
})

test('a stream goes on after Last-Event-ID, and a wrong one is 400', async () => {
  const stopping = new AbortController()
  await start([{ position: 9n }], { draining: stopping.signal })
  stopping.abort()
  const headers = { ...asEvents, 'last-event-id': cursorOf('7') }
  expect((await gateway.send('GET', streamUrl, { headers })).status).toBe(200)
  expect(reads()[0]?.message).toMatchObject({ after: 7n })
  const wrong = await gateway.send('GET', streamUrl, {
    headers: { ...asEvents, 'last-event-id': 'wrong' },
  })
  expect([wrong.status, Object.keys(wrong.body.problems)]).toEqual([400, ['Last-Event-ID']])
})

test('a stream ends when it is refused; another request gets one page as JSON', async () => {
  await start([{ position: 7n }, refused('gone', { status: 410, code: 'CHANGES_REMOVED' })])
  const { text } = await gateway.send('GET', streamUrl, { headers: asEvents })
  expect(text).toBe(`retry: 1000\n\n${eventText('7', '[]')}`)
  await start([{ position: 7n }])
  expect((await gateway.send('GET', streamUrl)).body).toMatchObject({ nextCursor: cursorOf('7') })
})

test('an account has twenty streams at a time, and another one after an end', async () => {
  const stopping = new AbortController()
  await start([{ position: 7n }], { draining: stopping.signal })
  const open = () => gateway.send('GET', streamUrl, { headers: asEvents })
  const streams = Array.from({ length: 20 }, open)
  await untilRead(40)
  expect((await open()).status).toBe(429)
  stopping.abort()
  expect((await Promise.all(streams)).map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect((await open()).status).toBe(200)
})

test('a stream comments in silence', async () => {
  const stopping = new AbortController()
  await start([{ position: 7n }], { pollMs: 5, silentMs: 0, draining: stopping.signal })
  const streaming = gateway.send('GET', streamUrl, { headers: asEvents })
  await untilRead(5)
  stopping.abort()
  const { text } = await streaming
  const start7 = `retry: 1000\n\n${eventText('7', '[]')}`
  expect(text.slice(0, start7.length)).toBe(start7)
  expect(text.slice(start7.length)).toMatch(/^(: still here\n\n){2,}retry: 1000\n\n$/)
})
