import type { Database } from '@coffer/kit/database/database'
import { asRead, read } from '@coffer/kit/database/statement'
import { isOutage, knownError } from '@coffer/kit/rpc/fault'
import { startProxy } from '@coffer/kit/testing/proxy'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { connectClient } from '../../src/database/connection.ts'
import { createDatabase, type DatabaseOptions } from '../../src/database/pool.ts'
import { eventually } from '../../testing/boot.ts'
import { cloneDatabase } from '../../testing/database.ts'
import { fixture } from '../../testing/fixture/service.ts'

const stack = new AsyncDisposableStack()
let url: string

beforeAll(async () => {
  url = stack.use(await cloneDatabase([fixture])).url
})

afterAll(async () => {
  await stack.disposeAsync()
})

function open(overrides: Partial<DatabaseOptions> = {}): Promise<Database> {
  const options = { schema: fixture.schema, poolSizeMax: 4, statementTimeoutMs: 10_000 }
  return createDatabase({ url, ...options, ...overrides })
}

const Backend = z.object({ pid: z.number() })
const backend = () => read(Backend)`SELECT pg_backend_pid() AS pid`
const slow = (seconds: number) => asRead(sql.unsafe`SELECT pg_sleep(${seconds}::float8)`)
const codeOf = (error: unknown) => Code[knownError(error).code]
const times = <T>(count: number, run: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, run))

/** Starts each in an iteration of the event loop of its own: those of one share a connection. */
async function turns<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const started: Promise<T>[] = []
  for (let left = count; left > 0; left -= 1) {
    started.push(run())
    await new Promise(setImmediate)
  }
  return Promise.all(started)
}

/** Opens both shared connections; returns their process IDs. */
function warm(database: Database): Promise<number[]> {
  return eventually(
    async () => [...new Set(await turns(20, () => database.pool.oneFirst(backend())))],
    (pids) => pids.length === 2,
  )
}

test('many reads share two connections, and other statements have their own', async () => {
  await using database = await open()
  const shared = await warm(database)
  const pids = await turns(100, () => database.pool.oneFirst(backend()))
  expect(new Set(pids)).toEqual(new Set(shared))
  const atOnce = await times(100, () => database.pool.oneFirst(backend()))
  expect(new Set(atOnce).size).toBe(1)
  const alone = sql.type(Backend)`SELECT pg_backend_pid() AS pid`
  await database.pool.connect(async (held) => {
    const other = await database.pool.oneFirst(alone)
    expect(pids).not.toContain(await held.oneFirst(alone))
    expect(pids).not.toContain(other)
    // A read within a transaction or on a held connection stays there.
    expect(await held.oneFirst(backend())).toBe(await held.oneFirst(alone))
  })
})

test('reads do not wait for statements that have a connection to themselves', async () => {
  await using database = await open({ connectionWaitMs: 50 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = times(2, () => database.pool.connect(() => promise))
  expect(await database.pool.any(backend())).toHaveLength(1)
  const refusal = await database.pool.query(sql.unsafe`SELECT 1`).catch((error) => error)
  expect(codeOf(refusal)).toBe('Unavailable')
  resolve()
  await held
})

test('the plan of a read stays generic while its table grows', async () => {
  await using database = await open()
  const plans = read(z.object({ generic: z.bigint(), custom: z.bigint() }))`
    SELECT generic_plans AS generic, custom_plans AS custom FROM pg_prepared_statements
    WHERE statement LIKE ${'%pg_prepared_statements%'} LIMIT ${1}::int`
  await database.pool.any(plans)
  expect(await database.pool.one(plans)).toEqual({ generic: 2n, custom: 0n })
})

test('in a small pool, a read has a connection to itself', async () => {
  await using database = await open({ poolSizeMax: 3 })
  const waiting = asRead(sql.type(Backend)`SELECT pg_backend_pid() AS pid FROM pg_sleep(0.2)`)
  expect(new Set(await times(3, () => database.pool.oneFirst(waiting))).size).toBe(3)
})

test('an error ends one read, and leaves the others in flight', async () => {
  await using database = await open()
  const outcomes = await Promise.allSettled([
    database.pool.oneFirst(backend()),
    database.pool.any(asRead(sql.unsafe`SELECT 1 / 0`)),
    database.pool.any(read(z.object({ n: z.string() }))`SELECT 1 AS n`),
    database.pool.any(asRead(sql.unsafe`SELECT nothing FROM connections`)),
    ...Array.from({ length: 8 }, () => database.pool.oneFirst(backend())),
  ])
  const failed = outcomes.map(({ status }) => status === 'rejected')
  expect(failed).toEqual([false, true, true, true, ...Array(8).fill(false)])
})

test('a slow read is cancelled at the timeout, and those behind it are answered', async () => {
  await using database = await open({ statementTimeoutMs: 300 })
  await warm(database)
  const slowOnes = turns(2, () => database.pool.query(slow(20)).catch(codeOf))
  const behind = turns(10, () => database.pool.oneFirst(backend()))
  expect(await slowOnes).toEqual(['DeadlineExceeded', 'DeadlineExceeded'])
  expect(new Set(await behind).size).toBe(2)
})

test('a broken connection is an outage to its reads, and the next read opens another', async () => {
  await using database = await open()
  const pids = await warm(database)
  const waiting = turns(6, () => database.pool.query(slow(20)).catch((error) => error))
  await using connected = await connectClient(url)
  const admin = connected.client
  const busy = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND query LIKE '%pg_sleep%'`
  await eventually(
    () => admin.query(busy, [pids]),
    ({ rowCount }) => rowCount === 2,
  )
  await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids])
  const errors = await waiting
  expect(errors.map(isOutage)).toEqual(Array(6).fill(true))
  expect(errors.map(codeOf)).toEqual(Array(6).fill('Unavailable'))
  const after = await times(20, () => database.pool.oneFirst(backend()))
  expect(after.filter((pid) => pids.includes(pid))).toEqual([])
})

test('a silent server fails all reads in flight, and further ones wait in bounds', async () => {
  await using proxy = await startProxy(url)
  const limits = { statementTimeoutMs: 200, connectionWaitMs: 50 }
  await using database = await open({ url: proxy.url, ...limits })
  await warm(database)
  proxy.fallSilent()
  const inFlight = times(128, () => database.pool.query(backend()).catch(codeOf))
  const next = await database.pool.query(backend()).catch((error) => error)
  expect(knownError(next).rawMessage).toBe('the database is busy: try again later')
  expect(new Set(await inFlight)).toEqual(new Set(['Unavailable']))
  proxy.mend()
  await eventually(
    () => database.pool.any(backend()).catch(() => []),
    (found) => found.length === 1,
  )
})

test('a read whose preparation failed in another one is prepared again', async () => {
  await using database = await open({ statementTimeoutMs: 400 })
  await warm(database)
  await using connected = await connectClient(url)
  const locker = connected.client
  await locker.query('BEGIN; LOCK fixture.connections IN ACCESS EXCLUSIVE MODE')
  // Postgres waits for the lock while it parses; both are on their way before the first fails.
  const list = () => asRead(sql.unsafe`SELECT name FROM connections WHERE account_id = 'acct_x'`)
  const outcomes = await turns(4, () => database.pool.any(list()).catch(codeOf))
  expect(outcomes).toEqual(Array(4).fill('DeadlineExceeded'))
  await locker.query('COMMIT')
  expect(await database.pool.any(list())).toEqual([])
})

test('after a column has changed its type, no connection keeps a former statement', async () => {
  await using database = await open({ poolSizeMax: 10 })
  const find = () => sql.type(z.object({ n: z.unknown() }))`SELECT n FROM altered`
  const all = async () => [
    ...(await turns(4, () => database.pool.oneFirst(asRead(find())))),
    ...(await times(8, () => database.pool.oneFirst(find()))),
  ]
  await database.pool.query(sql.unsafe`CREATE TABLE altered AS SELECT 1 AS n`)
  expect(await all()).toEqual(Array(12).fill(1))
  await database.pool.query(sql.unsafe`ALTER TABLE altered ALTER n TYPE text`)
  for (let left = 8; left > 0; left -= 1) {
    expect(await database.pool.oneFirst(find())).toBe('1')
  }
  expect(await all()).toEqual(Array(12).fill('1'))
  await database.pool.query(sql.unsafe`DEALLOCATE ALL`)
  expect(await database.pool.oneFirst(find())).toBe('1')
})
