import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound, unauthenticated, unavailable } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { startGateway } from '../../src/main.ts'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'
import { alice, type Stubs } from '../stub-mesh.ts'

const { linkId } = ids
const url = `/api/aggregator/link/setup/wait/${linkId}`
const prefix = newId('t')
const subject = (name: string) => `${prefix}.${name}`
const deletedAt = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const link = { linkId, linkType: 'aggregator' }
const never = { pollMs: 600_000, limitMs: 600_000 }

let connection: NatsConnection
let gateway: Gateway

beforeAll(async () => {
  connection = await connect({ servers: process.env.COFFER_TEST_NATS_URL ?? '' })
})
afterAll(async () => await connection.close())
afterEach(async () => await gateway[Symbol.asyncDispose]())

type Read = { status: string; deletedAt?: typeof deletedAt } | Error | null

/** Creates the gateway. Each read of the link takes the next of `reads`, then the last again. */
async function start(
  reads: Read[],
  { times = {}, stubs = {}, hasConnected = true, onRead = async () => {} } = {} as {
    times?: Partial<typeof never>
    stubs?: Stubs
    hasConnected?: boolean
    onRead?: () => Promise<void>
  },
): Promise<void> {
  const left = [...reads]
  const listAggregatorLinks = async () => {
    await onRead()
    const [read = null] = left.length > 1 ? left.splice(0, 1) : left
    if (read instanceof Error) throw read
    return { aggregatorLinks: read ? [{ linkId, ...read }] : [] }
  }
  const all: Stubs = {
    links: { getLink: () => ({ link }) },
    aggregatorLinks: { listAggregatorLinks },
    ...stubs,
  }
  gateway = await createGateway(
    all,
    { COFFER_AGGREGATOR_ENABLED: 'true' },
    {
      broker: { connection, hasConnected: () => hasConnected, subject },
      progressTimes: { ...never, ...times },
    },
  )
}

const wait = () => gateway.send('GET', url, { as: bySession })

async function announce(status: string): Promise<void> {
  const message = JSON.stringify({ linkId, status })
  connection.publish(subject(`progress.${alice.accountId}.${linkId}`), message)
  await connection.flush()
}

const readsSoFar = () => gateway.received.filter(({ rpc }) => rpc === 'ListAggregatorLinks').length

/** Resolves after the gateway has read the status so often. */
async function read(count: number): Promise<void> {
  for (let waits = 0; readsSoFar() < count && waits < 500; waits += 1) await sleep(10)
}

describe('the wait ends with 200 and no body', () => {
  test.each(['setup', 'pending_expiration'])('at once in status %s', async (status) => {
    await start([{ status }])
    const answer = await wait()
    expect([answer.status, answer.text, readsSoFar()]).toEqual([200, '', 1])
  })

  test('on a message that comes before the first read has ended', async () => {
    const onRead = () => announce('setup')
    await start([{ status: 'pending' }], { times: { limitMs: 5_000 }, onRead })
    expect((await wait()).status).toBe(200)
    expect(readsSoFar()).toBe(1)
  })

  test('on a message that comes later, after others', async () => {
    await start([{ status: 'pending' }])
    const waiting = wait()
    await read(1)
    for (const status of ['error', 'revoked', 'setup']) await announce(status)
    expect((await waiting).status).toBe(200)
  })

  test.each([
    ['without a message', true],
    ['while NATS is away', false],
  ])('on the stored status, %s', async (_, hasConnected) => {
    const reads = [null, { status: 'pending' }, unavailable('away'), { status: 'setup' }]
    await start(reads, { times: { pollMs: 5 }, hasConnected })
    expect((await wait()).status).toBe(200)
    expect(readsSoFar()).toBeGreaterThanOrEqual(4)
  })
})

describe('the wait ends with 408 and no body', () => {
  test.each(['pending', 'error', 'revoked', 'deactivated', 'unknown'])(
    'at the time limit in status %s',
    async (status) => {
      await start([{ status }], { times: { limitMs: 20 } })
      const answer = await wait()
      expect([answer.status, answer.text]).toEqual([408, ''])
    },
  )

  test('at once when the process stops, which then ends', async () => {
    await start([{ status: 'pending' }])
    const draining = new AbortController()
    const server = await serve({ draining: draining.signal })
    const waiting = ask(server.port)
    await read(1)
    draining.abort()
    const answer = await answerOf(waiting)
    expect([answer.statusCode, answer.headers.connection]).toEqual([408, 'close'])
    const late = await answerOf(ask(server.port))
    expect(late.statusCode).toBe(408)
    await server[Symbol.asyncDispose]()
  })

  test('when the server is closed without a signal', async () => {
    await start([{ status: 'pending' }])
    const server = await serve()
    const waiting = ask(server.port)
    await read(1)
    const answered = answerOf(waiting)
    await server[Symbol.asyncDispose]()
    expect((await answered).statusCode).toBe(408)
  })
})

describe('the wait is refused', () => {
  const missing = () => {
    throw notFound('link')
  }

  test.each<[string, NonNullable<Stubs['links']>, number, string]>([
    ['a missing link', { getLink: missing }, 404, 'record does not exist'],
    ['a deleted link', { getLink: () => ({ link: { ...link, deletedAt } }) }, 404, 'deleted'],
    [
      'a manual link',
      { getLink: () => ({ link: { ...link, linkType: 'manual' } }) },
      400,
      'cannot wait for the set-up of a non-Plaid link',
    ],
  ])('for %s', async (_, links, status, text) => {
    await start([{ status: 'setup' }], { stubs: { links } })
    const answer = await wait()
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(text)])
  })

  test('with 404 if the link is deleted meanwhile', async () => {
    const deleted = { status: 'deactivated', deletedAt }
    await start([{ status: 'pending' }, deleted], { times: { pollMs: 5 } })
    const { status, body } = await wait()
    expect([status, body]).toEqual([404, { error: 'the link has been deleted' }])
  })

  test('with 503 while aggregator-sync is away', async () => {
    await start([unavailable('away')])
    expect((await wait()).status).toBe(503)
  })

  test('with 401 if the session ends meanwhile', async () => {
    let isEnded = false
    const verifySession = () => {
      if (isEnded) throw unauthenticated('SESSION_ENDED')
      return { credential: alice }
    }
    const stubs = { signIn: { verifySession } }
    await start([{ status: 'pending' }], { times: { pollMs: 100 }, stubs })
    const waiting = wait()
    await read(1)
    isEnded = true
    const { status, body } = await waiting
    expect([status, body.code]).toEqual([401, 'SESSION_ENDED'])
  })

  test('with 429 for the 11th of an account, until a client closes its connection', async () => {
    await start([{ status: 'pending' }])
    const server = await serve()
    const waiting = Array.from({ length: 10 }, () => ask(server.port))
    await read(10)
    const refused = await answerOf(ask(server.port))
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
    waiting[0]?.destroy()
    let admitted = false
    for (let attempt = 0; !admitted && attempt < 500; attempt += 1) {
      const next = ask(server.port)
      const answered = answerOf(next).then(() => 'refused')
      answered.catch(() => undefined)
      admitted = (await Promise.race([answered, read(11).then(() => 'waits')])) === 'waits'
    }
    expect([admitted, readsSoFar()]).toEqual([true, 11])
    await server[Symbol.asyncDispose]()
  })
})

test('the OpenAPI document states the 408', async () => {
  await start([])
  const { paths } = (await gateway.send('GET', '/api/openapi.json', { as: null })).body
  const { responses } = paths['/api/aggregator/link/setup/wait/{linkId}'].get
  const stated = Object.keys(responses)
  expect(stated).toEqual(expect.arrayContaining(['200', '401', '402', '404', '406', '408']))
  expect(responses[408]).not.toHaveProperty('content')
})

function serve(more: { draining?: AbortSignal } = {}) {
  return startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0, ...more })
}

function ask(port: number): ClientRequest {
  return request({ port, path: url, headers: bySession, agent: false })
    .on('error', () => undefined)
    .end()
}

async function answerOf(asked: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return answer
}
