import { setTimeout as sleep } from 'node:timers/promises'
import { serviceNames } from '@coffer/cli/settings/service-names'
import { createDatabase } from '@coffer/host/database/pool'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { Change, emit } from '@coffer/kit/events/changes'
import { repeat } from '@coffer/kit/service/repeat'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { sql } from 'slonik'
import type { OwnPostgres } from '../harness/own-postgres.ts'
import {
  keepAsking,
  restart,
  startPostgresWithTables,
  summaryOfBlink,
  watchRotation,
} from './blink.ts'
import { createHouseholds } from './load.ts'
import { type Replicas, startReplicas } from './replicas.ts'

// Two gateways and two processes with all services, under a steady load of writes.
const stack = new AsyncDisposableStack()
let postgres: OwnPostgres
let replicas: Replicas
let nats: NatsConnection

/** Minutes of load; the run before a release takes ten. */
const minutes = Number(process.env.COFFER_TEST_MINUTES ?? 10)
const halfMs = 30_000 * minutes
const awayMs = 5_000
/** Messages a second beside those of the writes, and the most in one transaction. */
const messagesPerSecond = 200
const groupMax = 40
/** Time in ms after the load in which consumers and relays must have finished. */
const settleMs = 5_000
const families = 8

beforeAll(async () => {
  postgres = stack.use(await startPostgresWithTables())
  replicas = stack.use(await startReplicas({ environment: { COFFER_DATABASE_URL: postgres.url } }))
  nats = await connect({ servers: requiredVariable('COFFER_TEST_NATS_URL') })
  stack.defer(() => nats.close())
  await sleep(10_000)
}, 300_000)

afterAll(() => stack.disposeAsync())

const streamName = () => replicas.deployment.prefix.toUpperCase()

async function messages(): Promise<number> {
  const { state } = await (await jetstreamManager(nats)).streams.info(streamName())
  return state.last_seq
}

/** Resolves when the writes have emitted enough changes to repeat. */
async function untilEmitted(count: number): Promise<void> {
  const query = `SELECT FROM ledger.changes WHERE type ~ 'Envelope'`
  await eventually(
    async () => (await postgres.query(query)).length,
    (found) => found >= count,
  )
}

/** Returns what background work is left: messages of consumers, and changes in each outbox. */
async function unfinished(): Promise<Record<string, number>> {
  const manager = await jetstreamManager(nats)
  const left: Record<string, number> = {}
  for await (const { name, num_pending, num_ack_pending } of manager.consumers.list(streamName())) {
    // Others are those by which services look at the stream.
    if (!serviceNames.some((service) => service === name)) continue
    left[`messages for ${name}`] = num_pending + num_ack_pending
  }
  for (const service of serviceNames) {
    const schema = service.replaceAll('-', '_')
    const counted = `SELECT count(*) FROM ${schema}.changes WHERE published_at IS NULL`
    const [row] = await postgres.query(counted)
    left[`changes of ${service}`] = Number(row?.count)
  }
  return Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0))
}

/** Returns the sum of each of these metrics over all processes. */
async function sums(names: string[]): Promise<Record<string, number>> {
  const texts = await Promise.all(
    replicas.members.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
  )
  const lines = texts.flatMap((text) => text.split('\n'))
  const sumOf = (name: string) =>
    lines
      .filter((line) => /^\w+/.exec(line)?.[0] === name)
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  return Object.fromEntries(names.map((name) => [name, sumOf(name)]))
}

/** Metrics that stay 0 while NATS keeps its messages. */
const losses = [
  'coffer_consumer_resets_total',
  'coffer_sequence_holes_total',
  'coffer_stream_losses_total',
  'coffer_dead_letters_total',
]

/**
 * Emits the latest changes of envelopes again, so many a second, until disposed. They take the way
 * of every change: outbox, relay, stream, consumer; their versions are known, so nothing changes.
 */
async function keepEmitting(): Promise<AsyncDisposable> {
  const options = { url: postgres.url, schema: 'ledger', statementTimeoutMs: 10_000 }
  const database = await createDatabase({ ...options, poolSizeMax: 4 })
  const latest = await database.pool.any(sql.type(Change)`
    SELECT change_id AS "changeId", account_id AS "accountId", type, entity_id AS "entityId",
      version, payload, NULL AS "traceContext"
    FROM changes WHERE type ~ 'Envelope' ORDER BY change_id DESC LIMIT ${families}`)
  expect(latest.length).toBeGreaterThan(0)
  const startedAt = performance.now()
  let emitted = 0
  const step = async () => {
    const due = (messagesPerSecond * (performance.now() - startedAt)) / 1_000 - emitted
    const changes = Array.from({ length: Math.min(groupMax, Math.floor(due)) }, (_, index) => {
      return { ...(latest[index % latest.length] as Change), changeId: newId('chg') }
    })
    await database.transaction((tx) => emit(tx, ...changes))
    emitted += changes.length
  }
  // While Postgres is away, nothing is emitted.
  const emitting = repeat(() => step().catch(() => undefined), { everyMs: 50 })
  return {
    [Symbol.asyncDispose]: async () => {
      await emitting[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test(
  `${minutes} min of load with a restart of Postgres: no consumer is reset, no second gap`,
  async () => {
    const households = await createHouseholds(replicas.baseUrl, families)
    const gateways = replicas.members.filter(({ name }) => name.startsWith('gateway'))
    const lines = households.map(({ person, path, spendingId }, index) => {
      const gateway = gateways[index % gateways.length] as (typeof gateways)[number]
      return { person, path, spendingId, gateway, writes: true, pause: () => sleep(20) }
    })
    const rotation = watchRotation(replicas)
    const first = await messages()
    const startedAt = performance.now()
    const { answers, end } = keepAsking(lines)
    await untilEmitted(households.length)
    const emitting = await keepEmitting()
    await sleep(halfMs)
    await postgres.stop('SIGINT')
    await sleep(awayMs)
    const backAt = await restart(postgres)
    await sleep(halfMs)
    await Promise.all([end(), emitting[Symbol.asyncDispose]()])
    const seconds = (performance.now() - startedAt) / 1_000
    await sleep(settleMs)
    const left = await unfinished()
    const perSecond = Math.round(((await messages()) - first) / seconds)
    const summary = summaryOfBlink(answers, backAt)
    const lost = await sums(losses)
    const gone = await rotation.end()
    console.log(JSON.stringify({ minutes, perSecond, ...summary, ...lost, left, gone }))
    expect(lost).toEqual(Object.fromEntries(losses.map((name) => [name, 0])))
    expect(summary).toMatchObject({ late: [], unexplained: [] })
    expect([gone, left]).toEqual([[], {}])
    expect((await replicas.deployment.run('audit')).code).toBe(0)
  },
  (minutes + 5) * 60_000,
)
