import { setTimeout as sleep } from 'node:timers/promises'
import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { watchIsolation } from '../src/isolation.ts'
import { eventually } from '../testing/boot.ts'
import { requiredVariable } from '../testing/database.ts'

const url = requiredVariable('COFFER_TEST_NATS_URL')
const tickMs = 50
/** Longer than the time without an answer after which a process is cut off. */
const longMs = 10 * tickMs
let direct: NatsConnection

beforeAll(async () => {
  direct = await connect({ servers: url })
})

afterAll(() => direct.close())

type Given = { subject: string; connection?: NatsConnection; clockMs?: number; isReady?: boolean }

/** Starts a process whose databases and services answer as long as `answers` is true. */
function startProcess(given: Given) {
  const { subject, connection = direct, clockMs = 0, isReady = true } = given
  const state = { answers: false, asked: 0, answeredAt: 0 }
  const isolation = watchIsolation({
    broker: { connection, isConnected: () => true },
    subject,
    clock: () => new Date(Date.now() + clockMs),
    answeredAt: () => state.answeredAt,
    ask: () => {
      state.asked += 1
      if (state.answers) state.answeredAt = performance.now()
    },
    isReady: async () => isReady,
    tickMs,
  })
  return { isolation, state, [Symbol.dispose]: () => isolation[Symbol.dispose]() }
}

/** Resolves when so many processes have heard each other: each has spoken three times. */
async function haveSpoken(subject: string, count: number): Promise<void> {
  const heard = new Map<string, number>()
  const subscription = direct.subscribe(subject, {
    callback: (_error, message) => {
      const { id } = message.json<{ id: string }>()
      heard.set(id, 1 + (heard.get(id) ?? 0))
    },
  })
  const often = async () => [...heard.values()].filter((times) => times >= 3).length
  await eventually(often, (number) => number >= count)
  subscription.unsubscribe()
}

test.each(['cut', 'fallSilent'] as const)(
  'a process that nothing answers is cut off while its replica lives (NATS: %s)',
  async (fault) => {
    await using proxy = await startProxy(url)
    const servers = proxy.url.replace('nats://', '')
    const connection = await connect({ servers, reconnectTimeWait: 20, maxReconnectAttempts: -1 })
    const subject = newId('t')
    using lone = startProcess({ subject, connection })
    using peer = startProcess({ subject })
    await haveSpoken(subject, 2)
    expect(lone.isolation.isCutOff()).toBe(false)
    proxy[fault]()
    await eventually(async () => lone.isolation.isCutOff(), Boolean)
    expect(lone.state.asked).toBeGreaterThan(0)
    expect(peer.isolation.isCutOff()).toBe(false)
    lone.state.answers = true
    await eventually(
      async () => lone.isolation.isCutOff(),
      (isCutOff) => !isCutOff,
    )
    // NATS alone is away now.
    await sleep(longMs)
    expect(lone.isolation.isCutOff()).toBe(false)
    await connection.close()
  },
)

test.each([
  { others: [], name: 'the only one' },
  { others: [{ isReady: false }], name: 'one whose replica is not ready' },
])('$name is not cut off when nothing answers', async ({ others }) => {
  await using proxy = await startProxy(url)
  const connection = await connect({ servers: proxy.url.replace('nats://', '') })
  const subject = newId('t')
  using lone = startProcess({ subject, connection })
  using stack = new DisposableStack()
  for (const other of others) stack.use(startProcess({ subject, ...other }))
  await haveSpoken(subject, 1 + others.length)
  await connection.close()
  await eventually(
    async () => lone.state.asked,
    (asked) => asked > 10,
  )
  expect(lone.isolation.isCutOff()).toBe(false)
})

test.each([
  { others: [], isShared: false },
  { others: [90_000], isShared: false },
  { others: [0], isShared: true },
  { others: [20_000, 90_000], isShared: false },
  { others: [0, -20_000, 90_000], isShared: true },
])('clocks of replicas that are ahead by $others ms: shared $isShared', async (given) => {
  const subject = newId('t')
  using own = startProcess({ subject })
  using stack = new DisposableStack()
  for (const clockMs of given.others) stack.use(startProcess({ subject, clockMs }))
  await haveSpoken(subject, 1 + given.others.length)
  expect(own.isolation.isClockShared()).toBe(given.isShared)
})
