import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { notFound, unauthenticated, unavailable } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { type SyncHealth, SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { connect as connectNats, type NatsConnection } from '@nats-io/transport-node'
import { startGateway } from '../../src/main.ts'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'
import { openSocket, refusedUpgrade, type TestSocket } from '../sockets.ts'
import { alice, type Stubs } from '../stub-mesh.ts'

const { linkId, feedLinkId, bankAccountId } = ids
const otherAccountId = 'bac_01hzzzzzzzzzzzzzzzzzzzzzzb'
const never = { pollMs: 600_000, limitMs: 600_000 }
const prefix = newId('t')
const subject = (name: string) => `${prefix}.${name}`
const urlOf = (id: string) => `/api/feed/link/sync/${linkId}/bank_account/${id}/progress`
const url = urlOf(bankAccountId)
const feedOn = { COFFER_FEED_ENABLED: 'true' }

let connection: NatsConnection
let gateway: Gateway
let server: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  connection = await connectNats({ servers: process.env.COFFER_TEST_NATS_URL ?? '' })
})
afterAll(async () => await connection.close())
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

type Failure = { code: string; text: string; advice: string; at: Timestamp }
type Account = { status?: string; syncCount?: bigint; lastError?: Failure }
type OfLink = { isSyncing?: boolean; lastError?: Failure }

function healthOf(account: Account | null, link: OfLink = {}): SyncHealth {
  const bankAccounts = account ? [{ bankAccountId, status: 'active', ...account }] : []
  return create(SyncHealthSchema, { status: 'active', ...link, bankAccounts })
}

/**
 * Serves the gateway. The check before an upgrade reads the first of `reads`; each later read of
 * the health takes the next one, then the last again.
 */
async function serve(
  reads: SyncHealth[] = [healthOf({})],
  { times = {}, stubs = {} }: { times?: Partial<typeof never>; stubs?: Stubs } = {},
): Promise<void> {
  const left = [...reads.slice(0, 1), ...reads]
  const link = { linkId, linkType: 'feed', feedLinkId }
  const all: Stubs = {
    links: { getLink: () => ({ link }) },
    bankAccounts: { describeBankAccount: () => ({ linkId }) },
    feedSyncs: {
      getHealth: () => ({ health: (left.length > 1 ? left.shift() : left[0]) as SyncHealth }),
    },
    ...stubs,
  }
  gateway = await createGateway(all, feedOn, {
    broker: { connection, hasConnected: () => true, subject },
    progressTimes: { ...never, ...times },
  })
  server = await startGateway({ ...gateway.deps, port: 0, host: '127.0.0.1' })
}

/** Opens a socket. Resolves after the gateway has read the stored state twice. */
async function connect(path = url): Promise<TestSocket> {
  const countOf = () => gateway.received.filter(({ rpc }) => rpc === 'GetHealth').length
  const before = countOf()
  const opened = openSocket(server.port, path)
  await once(opened.socket, 'open')
  for (let waits = 0; countOf() < before + 2 && waits < 500; waits += 1) await sleep(10)
  return opened
}

function announce(status: string, more: object = {}, id: string = bankAccountId): void {
  const message = { bankAccountId: id, status, run: 'run/1', ...more }
  connection.publish(subject(`progress.${alice.accountId}.${id}`), JSON.stringify(message))
}

test('shows each status once and in order, then closes', async () => {
  await serve()
  const { frames, closed } = await connect()
  for (const status of ['begin', 'begin', 'transactions', 'begin', 'strange']) announce(status)
  for (const status of ['balances', 'transactions', 'complete']) announce(status)
  expect((await closed)[0]).toBe(1000)
  expect(frames).toEqual(
    ['begin', 'transactions', 'balances', 'complete'].map((status) => ({ bankAccountId, status })),
  )
})

test('follows the run that began last, and drops late messages of the one before', async () => {
  await serve()
  const { frames, closed } = await connect()
  announce('transactions')
  announce('begin', { run: 'run/2' })
  announce('complete')
  announce('complete', { run: 'run/2' })
  await closed
  expect(frames.map(({ status }) => status)).toEqual(['transactions', 'begin', 'complete'])
})

test('never shows the sync of another bank account', async () => {
  await serve()
  const one = await connect()
  const other = await connect(urlOf(otherAccountId))
  announce('begin')
  announce('begin', {}, otherAccountId)
  announce('complete')
  await one.closed
  announce('balances', {}, otherAccountId)
  announce('complete', {}, otherAccountId)
  await other.closed
  const shown = ({ frames }: TestSocket) => JSON.stringify(frames)
  expect([one.frames, other.frames].map(({ length }) => length)).toEqual([2, 3])
  expect(shown(one)).not.toContain(otherAccountId)
  expect(shown(other)).not.toContain(bankAccountId)
})

test('shows a failure with its reason, then closes', async () => {
  await serve()
  const { frames, closed } = await connect()
  announce('begin')
  announce('error', { error: 'The feed provider did not answer', secret: 'no' })
  expect((await closed)[0]).toBe(1000)
  const error = 'The feed provider did not answer'
  expect(frames.at(-1)).toEqual({ bankAccountId, status: 'error', error })
})

test('closes at the limit without a frame', async () => {
  await serve([healthOf({})], { times: { limitMs: 50 } })
  const { frames, closed } = await connect()
  expect((await closed)[0]).toBe(1000)
  expect(frames).toEqual([])
})

describe('without messages, the stored state', () => {
  const at = (ms: number) => ({
    code: 'status',
    text: 'It failed',
    advice: '',
    at: timestampFromMs(ms),
  })
  const failedAt = (ms: number, isSyncing = false) =>
    healthOf({ syncCount: 4n }, { isSyncing, lastError: at(ms) })
  const error = { bankAccountId, status: 'error', error: 'It failed' }

  test.each([
    ['a sync that ended', [healthOf({ syncCount: 4n }), healthOf({ syncCount: 5n })], 'complete'],
    [
      'a sync that failed',
      [healthOf({ syncCount: 4n }), healthOf({ syncCount: 5n, lastError: at(1) })],
      'error',
    ],
    [
      'a list of accounts that failed',
      [failedAt(1), failedAt(1), failedAt(2, true), failedAt(2)],
      'error',
    ],
    [
      'a bank account that the provider does not list',
      [healthOf({ lastError: at(1) }), healthOf({ lastError: at(2) })],
      'error',
    ],
    [
      'a bank account that is listed late',
      [healthOf(null), healthOf({ syncCount: 4n }), healthOf({ syncCount: 5n })],
      'complete',
    ],
  ])('shows %s', async (_name, reads, status) => {
    await serve(reads, { times: { pollMs: 5 } })
    const { frames, closed } = openSocket(server.port, url)
    await closed
    expect(frames).toEqual([status === 'error' ? error : { bankAccountId, status }])
    const count = gateway.received.filter(({ rpc }) => rpc === 'GetHealth').length
    expect(count).toBeGreaterThan(reads.length)
  })

  test.each([
    ['is not listed any more', healthOf(null)],
    ['is archived', healthOf({ status: 'inactive' })],
  ])('closes the socket without a frame if the bank account %s', async (_name, last) => {
    await serve([healthOf({}), last], { times: { pollMs: 5 } })
    const { frames, closed } = openSocket(server.port, url)
    expect((await closed)[0]).toBe(1000)
    expect(frames).toEqual([])
  })
})

test('closes when the credential has ended', async () => {
  let isEnded = false
  const verifySession = () => {
    if (isEnded) throw unauthenticated('SESSION_ENDED')
    return { credential: alice }
  }
  await serve([healthOf({})], {
    times: { pollMs: 100 },
    stubs: { signIn: { verifySession } },
  })
  const headers = { ...bySession, origin: `http://127.0.0.1:${server.port}` }
  const { socket, frames, closed } = openSocket(server.port, url, headers)
  await once(socket, 'open')
  isEnded = true
  expect((await closed)[0]).toBe(1000)
  expect(frames).toEqual([])
})

describe('an upgrade is refused as JSON, and the connection closes,', () => {
  const missing = (noun: string) => () => {
    throw notFound(noun)
  }
  const manual = { getLink: () => ({ link: { linkId, linkType: 'manual' } }) }

  test.each<[string, number, Stubs]>([
    ['for a missing link', 404, { links: { getLink: missing('link') } }],
    [
      'for a missing bank account of a manual link',
      404,
      { links: manual, bankAccounts: { describeBankAccount: missing('bank account') } },
    ],
    [
      'for a bank account of another link',
      404,
      { bankAccounts: { describeBankAccount: () => ({ linkId: 'link_1' }) } },
    ],
    ['for a manual link', 400, { links: manual }],
  ])('%s', async (_name, status, stubs) => {
    await serve([healthOf({})], { stubs })
    // More often than an account may have sockets: a refused handshake keeps no place.
    for (let count = 0; count <= 20; count += 1) {
      const answer = await refusedUpgrade(server.port, url)
      expect(answer).toMatchObject({ status, body: { error: expect.any(String) } })
      expect(answer.connection).toBe('close')
    }
  })

  test.each(['ledger', 'feed-sync'])('with 503 while %s is away', async (name) => {
    const away = () => {
      throw unavailable('away')
    }
    const stubs: Stubs =
      name === 'ledger'
        ? { bankAccounts: { describeBankAccount: away } }
        : { feedSyncs: { getHealth: away } }
    await serve([healthOf({})], { stubs })
    const answer = await refusedUpgrade(server.port, url)
    const body = { error: expect.any(String) }
    expect(answer).toEqual({ status: 503, body, connection: 'close', retryAfter: '1' })
  })

  test('for malformed IDs, no credential, a foreign origin and the 21st socket', async () => {
    await serve()
    const { port } = server
    const evil = { ...byKey, origin: 'http://evil.example' }
    const closing = { body: { error: expect.any(String) }, connection: 'close' }
    for (const wrong of [url.replace('link_', 'lfx_'), url.replace('bac_', 'txn_')]) {
      expect(await refusedUpgrade(port, wrong)).toMatchObject({ ...closing, status: 400 })
    }
    expect(await refusedUpgrade(port, url, {})).toMatchObject({ ...closing, status: 401 })
    expect(await refusedUpgrade(port, url, evil)).toMatchObject({ ...closing, status: 403 })
    expect(await refusedUpgrade(port, url, bySession)).toMatchObject({ ...closing, status: 403 })
    const sockets = Array.from({ length: 20 }, () => openSocket(port, url))
    await Promise.all(sockets.map(({ socket }) => once(socket, 'open')))
    expect(await refusedUpgrade(port, url)).toMatchObject({ ...closing, status: 429 })
    const plain = await fetch(`http://127.0.0.1:${port}${url}`, { headers: byKey })
    expect(plain.status).toBe(429)
    for (const { socket } of sockets) socket.close()
    await Promise.all(sockets.map(({ closed }) => closed))
  })

  test('but without an upgrade the answer is 400', async () => {
    await serve()
    const { status, body } = await gateway.send('GET', url)
    expect([status, body.error]).toEqual([400, expect.stringContaining('WebSocket')])
  })
})
