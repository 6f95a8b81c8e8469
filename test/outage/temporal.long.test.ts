import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { type OwnServer, startOwnTemporal } from '../harness/own-server.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { printFigures, watchClient } from '../harness/watched-client.ts'

const stack = new AsyncDisposableStack()
let temporal: OwnServer
let deployment: Deployment
let alice: Person
let file: Buffer

beforeAll(async () => {
  file = await readFile(new URL('../data/checking.qfx', import.meta.url))
  temporal = stack.use(await startOwnTemporal())
  const settings = { COFFER_TEMPORAL_ADDRESS: temporal.url, COFFER_STATEMENT_TIMEOUT_MS: '3000' }
  deployment = stack.use(await deploy(settings))
  await deployment.start()
  alice = await newPerson(deployment.baseUrl)
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Uploads the file to a new bank account; returns the path of the upload. */
async function upload(): Promise<string> {
  const { path } = await alice.createBankAccount(0)
  const form = new FormData()
  form.set('data', new File([new Uint8Array(file)], 'checking.qfx'))
  const { body } = await alice.call('POST', `${path}/transactions/upload`, { form })
  return `${path}/transactions/upload/${body.transactionUploadId}`
}

async function connect(): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Returns the number of uploads and clean-ups of links that the tables show as unfinished. */
async function countUnfinished(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`
    SELECT (SELECT count(*) FROM ledger.uploads WHERE status IN ('pending', 'processing'))
      + (SELECT count(*) FROM ledger.links WHERE deleted_at IS NOT NULL AND cleaned_at IS NULL)
      AS count`)
  return Number(rows[0].count)
}

/** Creates links with a transaction, to be deleted. */
async function createLinks(count: number): Promise<string[]> {
  const links: string[] = []
  const tea = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z' }
  while (links.length < count) {
    const { linkId, path } = await alice.createBankAccount(1_000)
    await alice.post(`${path}/transactions`, tea)
    links.push(linkId)
  }
  return links
}

/** Begins 8 uploads and the clean-up of 5 links. */
async function beginWork(links: string[]): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, upload))
  for (const linkId of links) await alice.call('DELETE', `/links/${linkId}`)
}

/** Begins work and holds it: no transaction can be written until the transaction is committed. */
async function beginHeld(client: pg.Client): Promise<void> {
  const links = await createLinks(5)
  await client.query('BEGIN')
  await client.query('LOCK TABLE ledger.transactions IN SHARE MODE')
  await beginWork(links)
}

/** Resolves when no statement waits for the held transactions any more. */
async function untilAttemptsEnd(client: pg.Client): Promise<void> {
  const waiting = async () => {
    const { rows } = await client.query(`
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    return Number(rows[0].count)
  }
  await eventually(waiting, (count) => count === 0)
}

/** Waits until nothing is unfinished; returns the seconds since `startedAt`. */
async function untilFinished(client: pg.Client, startedAt: number): Promise<number> {
  await eventually(
    () => countUnfinished(client),
    (count) => count === 0,
    400_000,
  )
  return Math.round((performance.now() - startedAt) / 100) / 10
}

test('what was in hand when Temporal lost its database is finished within 60 s', async () => {
  await using holder = await connect()
  await using watcher = await connect()
  const stop = await watchClient(alice, { isSpending: false })
  await beginHeld(holder)
  await temporal.kill()
  await untilAttemptsEnd(watcher)
  await temporal.startEmpty()
  const seen = await stop()
  await holder.query('COMMIT')
  const startedAt = performance.now()
  expect(await countUnfinished(watcher)).toBe(13)
  const finishedSeconds = await untilFinished(watcher, startedAt)
  printFigures('Temporal lost its database', { ...seen, finishedSeconds })
  expect(seen.statuses).toEqual({ 200: seen.requests })
  expect(finishedSeconds).toBeLessThan(60)
}, 600_000)

test('so it is if Coffer was killed meanwhile', async () => {
  await using holder = await connect()
  await using watcher = await connect()
  await beginHeld(holder)
  await deployment.kill()
  await temporal.kill()
  await temporal.startEmpty()
  await holder.query('COMMIT')
  expect(await countUnfinished(watcher)).toBe(13)
  await deployment.start()
  const finishedSeconds = await untilFinished(watcher, performance.now())
  printFigures('Temporal lost its database, Coffer was killed', { finishedSeconds })
  expect(finishedSeconds).toBeLessThan(60)
}, 600_000)

test('while Temporal is stopped clients notice nothing, and work goes on afterwards', async () => {
  await using watcher = await connect()
  const links = await createLinks(5)
  const stop = await watchClient(alice)
  await temporal.kill()
  await beginWork(links)
  await temporal.start()
  const startedAt = performance.now()
  const seen = await stop()
  const finishedSeconds = await untilFinished(watcher, startedAt)
  printFigures('Temporal stopped', { ...seen, finishedSeconds })
  expect(seen.statuses).toEqual({ 200: seen.requests })
  expect(finishedSeconds).toBeLessThan(120)
}, 600_000)
