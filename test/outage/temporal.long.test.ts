import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { type OwnServer, startOwnTemporal } from '../harness/own-server.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'

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

/**
 * Begins 8 uploads and 5 clean-ups of links, and holds them: no transaction can be written until
 * the returned function is called.
 */
async function beginWork(client: pg.Client): Promise<() => Promise<unknown>> {
  const links: string[] = []
  for (let number = 0; number < 5; number += 1) {
    const { linkId, path } = await alice.createBankAccount(1_000)
    await alice.post(`${path}/transactions`, {
      name: 'Tea',
      amount: 1,
      date: '2026-03-02T06:00:00Z',
    })
    links.push(linkId)
  }
  await client.query('BEGIN')
  await client.query('LOCK TABLE ledger.transactions IN SHARE MODE')
  const files = await Promise.all(Array.from({ length: 8 }, upload))
  expect(files).toHaveLength(8)
  for (const linkId of links) await alice.call('DELETE', `/links/${linkId}`)
  return () => client.query('COMMIT')
}

/** Resolves when the database waits for the held transactions, then when such a wait has ended. */
async function untilAttemptsEnd(client: pg.Client): Promise<void> {
  const waiting = async () => {
    const { rows } = await client.query(`
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    return Number(rows[0].count)
  }
  await eventually(waiting, (count) => count === 0)
}

test('what was in hand when Temporal lost its database is finished within 60 s', async () => {
  await using holder = await connect()
  await using watcher = await connect()
  const release = await beginWork(holder)
  await temporal.kill()
  await untilAttemptsEnd(watcher)
  await temporal.startEmpty()
  await release()
  const startedAt = performance.now()
  expect(await countUnfinished(watcher)).toBe(13)
  await eventually(
    () => countUnfinished(watcher),
    (count) => count === 0,
    400_000,
  )
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(`finished after ${seconds.toFixed(1)} s`)
  expect(seconds).toBeLessThan(60)
}, 600_000)
