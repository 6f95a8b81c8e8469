import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { type OwnServer, startPlainNats } from '../harness/own-server.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { printFigures, type Seen, watchClient } from '../harness/watched-client.ts'

const stack = new AsyncDisposableStack()
let server: OwnServer
let nats: TcpProxy
let temporal: TcpProxy
let deployment: Deployment
let client: pg.Client
let alice: Person

beforeAll(async () => {
  server = stack.use(await startPlainNats())
  nats = stack.use(await startProxy(server.url))
  temporal = stack.use(
    await startProxy(`tcp://${requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')}`),
  )
  deployment = stack.use(
    await deploy({
      COFFER_NATS_URL: nats.url,
      COFFER_TEMPORAL_ADDRESS: new URL(temporal.url).host,
    }),
  )
  await deployment.start()
  client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  stack.defer(() => client.end())
  alice = await newPerson(deployment.baseUrl)
})

afterAll(async () => {
  await stack.disposeAsync()
})

const schemas = ['aggregator_sync', 'budgeting', 'feed_sync', 'identity', 'ledger']

async function count(condition: string): Promise<number> {
  const all = schemas.map((schema) => `SELECT 1 FROM ${schema}.changes WHERE ${condition}`)
  const { rows } = await client.query(`SELECT count(*) FROM (${all.join(' UNION ALL ')}) AS one`)
  return Number(rows[0].count)
}

/** Runs `work` with a manager of the stream, on a connection that no proxy cuts. */
async function withStream<Result>(
  work: (streams: Awaited<ReturnType<typeof jetstreamManager>>, name: string) => Promise<Result>,
): Promise<Result> {
  const connection = await connect({ servers: new URL(server.url).host, noAsyncTraces: true })
  try {
    return await work(await jetstreamManager(connection), deployment.prefix.toUpperCase())
  } finally {
    await connection.close()
  }
}

/** Returns the number of messages that wait for a consumer of Coffer. */
const waitingMessages = () =>
  withStream(async ({ consumers }, name) => {
    let waiting = 0
    let durables = 0
    for await (const { config, num_pending, num_ack_pending } of consumers.list(name)) {
      if (config.durable_name === undefined) continue
      durables += 1
      waiting += num_pending + num_ack_pending
    }
    return durables < 5 ? Number.POSITIVE_INFINITY : waiting
  })

/** Waits until everything is published and handled; returns the seconds since `startedAt`. */
async function untilHealed(startedAt: number): Promise<number> {
  await eventually(
    async () => {
      if ((await count('published_at IS NULL')) > 0) return false
      return (await waitingMessages().catch(() => 1)) === 0
    },
    Boolean,
    240_000,
  )
  return Math.round((performance.now() - startedAt) / 100) / 10
}

/** Returns whether every answer of a client was a success. */
const isUndisturbed = ({ statuses }: Seen) => Object.keys(statuses).every((one) => one === '200')

test('while NATS is stopped clients notice nothing, and it heals by itself', async () => {
  await untilHealed(performance.now())
  const stop = await watchClient(alice)
  await server.kill()
  await sleep(10_000)
  await server.start()
  const startedAt = performance.now()
  const seen = await stop()
  const healedSeconds = await untilHealed(startedAt)
  printFigures('NATS killed for 10 s', { ...seen, healedSeconds })
  expect(isUndisturbed(seen)).toBe(true)
  expect(healedSeconds).toBeLessThan(30)
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
}, 300_000)

test('while NATS is partitioned clients notice nothing, and it heals by itself', async () => {
  await untilHealed(performance.now())
  const stop = await watchClient(alice)
  nats.fallSilent()
  await sleep(40_000)
  nats.cut()
  nats.mend()
  const startedAt = performance.now()
  const seen = await stop()
  const healedSeconds = await untilHealed(startedAt)
  printFigures('NATS partitioned for 40 s', { ...seen, healedSeconds })
  expect(isUndisturbed(seen)).toBe(true)
  expect(healedSeconds).toBeLessThan(60)
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
}, 300_000)

/** Deletes a link whose event no consumer can handle, as Temporal is away. Returns its ID. */
async function deleteLinkUnheard(): Promise<string> {
  const { linkId } = await alice.createBankAccount(1_000)
  await untilHealed(performance.now())
  temporal.cut()
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  await eventually(
    () => count('published_at IS NULL'),
    (left) => left === 0,
  )
  return linkId
}

async function untilCleaned(linkId: string, startedAt: number): Promise<number> {
  await eventually(
    () => client.query('SELECT cleaned_at FROM ledger.links WHERE link_id = $1', [linkId]),
    ({ rows }) => rows[0]?.cleaned_at !== null,
    240_000,
  )
  return Math.round((performance.now() - startedAt) / 100) / 10
}

test('messages that a wiped NATS had not delivered are published again', async () => {
  const linkId = await deleteLinkUnheard()
  const stop = await watchClient(alice)
  await server.kill()
  await server.startEmpty()
  temporal.mend()
  const startedAt = performance.now()
  const cleanedSeconds = await untilCleaned(linkId, startedAt)
  const seen = await stop()
  const healedSeconds = await untilHealed(startedAt)
  printFigures('NATS lost its storage', { ...seen, cleanedSeconds, healedSeconds })
  expect(isUndisturbed(seen)).toBe(true)
  expect(cleanedSeconds).toBeLessThan(60)
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
}, 300_000)

test('messages after the backup of a restored NATS are published again', async () => {
  const backup = mkdtempSync(join(tmpdir(), 'coffer-nats-'))
  await untilHealed(performance.now())
  await server.kill()
  cpSync(join(server.dataDir, 'nats'), backup, { recursive: true })
  await server.start()
  const linkId = await deleteLinkUnheard()
  // The audit has seen the last message: its loss is noticed even if others follow.
  await sleep(20_000)
  await server.kill()
  rmSync(join(server.dataDir, 'nats'), { recursive: true })
  cpSync(backup, join(server.dataDir, 'nats'), { recursive: true })
  rmSync(backup, { recursive: true })
  await server.start()
  temporal.mend()
  const startedAt = performance.now()
  const cleanedSeconds = await untilCleaned(linkId, startedAt)
  const healedSeconds = await untilHealed(startedAt)
  printFigures('NATS restored from a backup', { cleanedSeconds, healedSeconds })
  expect(cleanedSeconds).toBeLessThan(60)
  expect(deployment.output()).toContain('NATS has lost messages')
}, 300_000)

test('a deleted message is published again within three minutes', async () => {
  await alice.createBankAccount(1_000)
  await untilHealed(performance.now())
  const lastId = () =>
    withStream(async ({ streams }, name) => {
      const { state } = await streams.info(name)
      const message = await streams.getMessage(name, { seq: state.last_seq })
      return { seq: state.last_seq, id: message?.header.get('Nats-Msg-Id') }
    })
  const { seq, id } = await lastId()
  await withStream(({ streams }, name) => streams.deleteMessage(name, seq))
  const startedAt = performance.now()
  await eventually(
    async () => {
      const last = await lastId()
      return last.seq > seq && last.id === id
    },
    Boolean,
    200_000,
  )
  const healedSeconds = Math.round((performance.now() - startedAt) / 100) / 10
  printFigures('a message was deleted in NATS', { healedSeconds })
  expect(healedSeconds).toBeLessThan(180)
}, 300_000)
