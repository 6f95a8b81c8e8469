import { readFile } from 'node:fs/promises'
import type { Database } from '@coffer/kit/database/database'
import { isOutage, knownError } from '@coffer/kit/rpc/fault'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { sql } from 'slonik'
import { connectClient } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrations.ts'
import { createDatabase } from '../../src/database/pool.ts'
import { eventually } from '../../testing/boot.ts'
import { cloneDatabase } from '../../testing/database.ts'
import { fixture } from '../../testing/fixture/service.ts'
import { metricValue } from '../../testing/metrics.ts'

const stack = new AsyncDisposableStack()
let url: string

beforeAll(async () => {
  url = stack.use(await cloneDatabase([fixture])).url
})

afterAll(async () => {
  await stack.disposeAsync()
})

interface Remote extends AsyncDisposable {
  proxy: TcpProxy
  database: Database
}

/** Creates a pool of two connections through a TCP proxy that can drop all bytes. */
async function connectRemote(
  overrides: { connectionWaitMs?: number; statementTimeoutMs?: number; schema?: string } = {},
): Promise<Remote> {
  const using = new AsyncDisposableStack()
  const proxy = using.use(await startProxy(url))
  const options = { schema: fixture.schema, poolSizeMax: 2, statementTimeoutMs: 200 }
  const database = using.use(await createDatabase({ url: proxy.url, ...options, ...overrides }))
  return { proxy, database, [Symbol.asyncDispose]: () => using.disposeAsync() }
}

const one = sql.unsafe`SELECT 1`
const pid = sql.unsafe`SELECT pg_backend_pid()`
const insert = (name: string) => sql.unsafe`
  INSERT INTO connections (account_id, feed_link_id, name, version)
  VALUES ('acct_silent', ${name}, ${name}, 1)`
const codeOf = (error: unknown) => Code[knownError(error).code]
const outcome = (work: Promise<unknown>) => work.then(() => 'done', codeOf)
const names = async () => {
  await using connected = await connectClient(url)
  const { rows } = await connected.client.query(
    'SELECT name FROM fixture.connections ORDER BY name',
  )
  return rows.map(({ name }) => name)
}

test.concurrent('statements to a silent server fail, and the pool recovers with it', async () => {
  await using remote = await connectRemote()
  const { database, proxy } = remote
  const before = await database.pool.oneFirst(pid)
  proxy.fallSilent()
  const migrating = migrate({ service: 'silent', url: proxy.url, schema: 'silent', folders: [] })
  const reads = [one, sql.unsafe`WITH n AS (SELECT 1) SELECT * FROM n`]
  expect(await Promise.all(reads.map((read) => outcome(database.pool.query(read))))).toEqual([
    'Unavailable',
    'Unavailable',
  ])
  await expect(migrating).rejects.toThrow('timeout expired')
  proxy.mend()
  const after = await eventually(
    () => database.pool.oneFirst(pid).catch(() => before),
    (backend) => backend !== before,
  )
  expect(after).not.toBe(before)
})

test.concurrent('a pool closes although its server is silent', async () => {
  const remote = await connectRemote()
  await using _proxy = remote.proxy
  await remote.database.pool.query(one)
  remote.proxy.fallSilent()
  const inFlight = outcome(remote.database.pool.query(one))
  await new Promise(setImmediate)
  await remote.database[Symbol.asyncDispose]()
  expect(await inFlight).toBe('Unavailable')
})

test.concurrent('a write of unknown outcome is unanswered and not repeated', async () => {
  let runs = 0
  const inTransaction = async ({ proxy, database }: Remote, silentAt: 'insert' | 'commit') => {
    const run = database.transaction(async (tx) => {
      runs++
      if (silentAt === 'insert') proxy.fallSilent()
      await tx.query(insert(silentAt))
      proxy.fallSilent()
    })
    return outcome(run)
  }
  const alone = async ({ proxy, database }: Remote) => {
    await database.pool.query(one)
    proxy.fallSilent()
    return outcome(database.pool.query(insert('alone')))
  }
  await using opened = new AsyncDisposableStack()
  const [first, second, third] = await Promise.all([
    connectRemote(),
    connectRemote(),
    connectRemote(),
  ])
  for (const remote of [first, second, third]) opened.use(remote)
  const outcomes = [inTransaction(first, 'insert'), inTransaction(second, 'commit'), alone(third)]
  expect(await Promise.all(outcomes)).toEqual([
    'Unavailable',
    'DeadlineExceeded',
    'DeadlineExceeded',
  ])
  expect(runs).toBe(2)
  // Postgres has received nothing of the INSERT.
  expect(await names()).toEqual([])
})

test('a write whose connection breaks is unanswered', async () => {
  await using remote = await connectRemote()
  const { database, proxy } = remote
  await database.pool.query(one)
  const isLost = proxy.loseAnswerTo('INSERT', 0)
  expect(await outcome(database.pool.query(insert('heard')))).toBe('DeadlineExceeded')
  expect(isLost()).toBe(true)
  expect(await eventually(names, (found) => found.length > 0)).toEqual(['heard'])
})

test('a transaction whose COMMIT was not answered is looked up', async () => {
  // Postgres ends a transaction that is idle for twice this time, which the held one must outlive.
  await using remote = await connectRemote({ statementTimeoutMs: 3_000 })
  const { database, proxy } = remote
  const write = (name: string) => outcome(database.transaction((tx) => tx.query(insert(name))))
  const isLost = proxy.loseAnswerTo('COMMIT', 0)
  expect(await write('looked up')).toBe('done')
  expect(isLost()).toBe(true)
  const line = proxy.hold('COMMIT')
  const late = write('late')
  const { cut, deliver } = await line
  cut()
  expect(await late).toBe('DeadlineExceeded')
  await deliver()
  expect(await names()).toEqual(expect.arrayContaining(['looked up', 'late']))
})

/** The answer of PgBouncer to a statement whose connection to Postgres has broken. */
const crashed = errorAnswer({ S: 'FATAL', V: 'FATAL', C: '08P01', M: 'server conn crashed?' })

/** Returns the message ErrorResponse of Postgres's protocol. */
function errorAnswer(fields: Record<string, string>): Buffer {
  const texts = Object.entries(fields).map(([type, text]) => `${type}${text}\0`)
  const body = Buffer.from(`${texts.join('')}\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

test('a write is unanswered if the connection broke behind a pooler', async () => {
  await using remote = await connectRemote()
  const { database, proxy } = remote
  await database.pool.query(one)
  proxy.loseAnswerTo('INSERT', 0, crashed)
  expect(await outcome(database.pool.query(insert('pooled')))).toBe('DeadlineExceeded')
  proxy.loseAnswerTo('COMMIT', 0, crashed)
  const committed = database.transaction((tx) => tx.query(insert('looked up behind')))
  expect(await outcome(committed)).toBe('done')
  proxy.loseAnswerTo('SELECT', 0, crashed)
  expect(await outcome(database.pool.query(one))).toBe('Unavailable')
  expect(await names()).toEqual(expect.arrayContaining(['pooled', 'looked up behind']))
})

test('a transaction whose session is terminated in COMMIT is not done, if refused', async () => {
  await using remote = await connectRemote({ statementTimeoutMs: 10_000 })
  await using connected = await connectClient(url)
  const { client } = connected
  await client.query(`
    CREATE FUNCTION fixture.wait() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON fixture.connections
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.name = 'terminated')
      EXECUTE FUNCTION fixture.wait();
    SELECT pg_advisory_lock(1)`)
  const written = outcome(remote.database.transaction((tx) => tx.query(insert('terminated'))))
  const terminate = async () => {
    const { rowCount } = await client.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query = 'COMMIT' AND wait_event = 'advisory'`)
    return rowCount
  }
  await eventually(terminate, (count) => count === 1)
  expect(await written).toBe('Unavailable')
  expect(await names()).not.toContain('terminated')
})

/** Runs transactions in four loops while `statement` disturbs their sessions, for 1.5 s. */
async function disturbed(statement: string) {
  await using database = await createDatabase({ url, ...storm })
  await using connected = await connectClient(url)
  const until = performance.now() + 1_500
  const outcomes = new Map<string, string>()
  const writing = [0, 1, 2, 3].map(async (writer) => {
    for (let nth = 0; performance.now() < until; nth += 1) {
      const name = `storm ${writer} ${nth}`
      const written = database.transaction((tx) => tx.query(insert(name)))
      outcomes.set(name, await outcome(written))
    }
  })
  while (performance.now() < until) await connected.client.query(statement)
  await Promise.all(writing)
  const after = [0, 1, 2, 3].map(() => outcome(database.transaction((tx) => tx.query(one))))
  return { outcomes, after: await Promise.all(after) }
}

const storm = { schema: fixture.schema, poolSizeMax: 4, statementTimeoutMs: 10_000 }
const sessions = `pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  ORDER BY random() LIMIT 1`

test('a transaction is not saved if it failed while its session was terminated', async () => {
  const { outcomes } = await disturbed(`SELECT pg_terminate_backend(pid) FROM ${sessions}`)
  const refused = [...outcomes].filter(([, how]) => how === 'Unavailable').map(([name]) => name)
  expect(refused).not.toEqual([])
  const saved = new Set(await names())
  expect(refused.filter((name) => saved.has(name))).toEqual([])
})

test('a connection can be used again after its statements were cancelled', async () => {
  const { after } = await disturbed(`SELECT pg_cancel_backend(pid) FROM ${sessions}`)
  expect(after).toEqual(['done', 'done', 'done', 'done'])
})

test.concurrent('the wait for a connection is bounded and measured', async () => {
  // A schema of its own is a series of its own: the tests beside this one wait too.
  const schema = 'measured'
  await using remote = await connectRemote({ connectionWaitMs: 50, schema })
  const { database, proxy } = remote
  await database.pool.query(one)
  proxy.fallSilent()
  const holding = [database.pool.query(one), database.pool.query(one)].map(outcome)
  const waiting = await database.pool.query(one).catch((error) => error)
  expect(knownError(waiting)).toMatchObject({
    code: Code.Unavailable,
    rawMessage: 'the database is busy: try again later',
  })
  expect(await Promise.all(holding)).toEqual(['Unavailable', 'Unavailable'])
  const wait = 'coffer_database_wait_seconds'
  const count = await metricValue(`${wait}_count`, { schema })
  const quick = await metricValue(`${wait}_bucket`, { schema, le: '0.025' })
  expect(quick).toBeGreaterThan(0)
  expect(count).toBeGreaterThan(quick ?? 0)
})

/** Reads Linux's TCP timers for connections to a port (proc_net_tcp(5)). */
async function timersOf(url: string): Promise<(string | undefined)[]> {
  const port = Number(new URL(url).port).toString(16).padStart(4, '0').toUpperCase()
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n')
  const sockets = lines.map((line) => line.trim().split(/\s+/))
  return sockets
    .filter(([, , far]) => far?.endsWith(`:${port}`))
    .map(([, , , , , timer]) => timer?.slice(0, 2))
}

test('an idle connection sends keep-alive probes', async () => {
  await using remote = await connectRemote()
  await remote.database.pool.query(one)
  const keepAlive = '02'
  const isLinux = process.platform === 'linux'
  await eventually(
    async () => (isLinux ? timersOf(remote.proxy.url) : [keepAlive]),
    (timers) => timers.length === 1 && timers[0] === keepAlive,
  )
})

test('a read-only server counts as an outage until it accepts writes', async () => {
  await using readOnly = await cloneDatabase([fixture])
  await using admin = new AsyncDisposableStack()
  const client = new pg.Client({ connectionString: readOnly.url })
  await client.connect()
  admin.defer(() => client.end())
  const name = client.escapeIdentifier(new URL(readOnly.url).pathname.slice(1))
  const setReadOnly = (flag: string) =>
    client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${flag}`)
  await setReadOnly('on')
  const options = { schema: fixture.schema, poolSizeMax: 1, statementTimeoutMs: 10_000 }
  await using database: Database = await createDatabase({ url: readOnly.url, ...options })
  const first = await database.pool.oneFirst(pid)
  const refusal = await database.pool.query(insert('one')).catch((error) => error)
  expect(codeOf(refusal)).toBe('Unavailable')
  expect(isOutage(refusal)).toBe(true)
  await setReadOnly('off')
  expect(await database.pool.oneFirst(pid)).not.toBe(first)
  await database.pool.query(insert('one'))
})
