import { invalid } from '@coffer/kit/rpc/errors'
import { startProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { StatementTimeoutError, sql } from 'slonik'
import { z } from 'zod'
import { eventually } from '../../testing/boot.ts'
import { cloneDatabase } from '../../testing/database.ts'
import { fixture } from '../../testing/fixture/service.ts'
import { createLoggedDatabase, type LoggedDatabase } from '../../testing/statement-log.ts'

const stack = new AsyncDisposableStack()
let url: string
let database: LoggedDatabase

function open(
  overrides: { url?: string; statementTimeoutMs?: number } = {},
): Promise<LoggedDatabase> {
  const options = { schema: fixture.schema, poolSizeMax: 1, statementTimeoutMs: 10_000 }
  return createLoggedDatabase({ url, ...options, ...overrides })
}

beforeAll(async () => {
  url = stack.use(await cloneDatabase([fixture])).url
  database = stack.use(await open())
})

afterAll(async () => {
  await stack.disposeAsync()
})

const value = (query: ReturnType<typeof sql.unsafe>) => database.pool.oneFirst(query)

const instantOf = (text: string) => new Date(text)

// A sum of bigints has the type numeric, which is returned as text to stay exact.
test.each([
  ["'9007199254740993'::int8", 9_007_199_254_740_993n],
  ["'-9223372036854775808'::int8", -(2n ** 63n)],
  ["'-1'::int8", -1n],
  ["'-2147483648'::int4", -2_147_483_648],
  ["'-7'::int2", -7],
  ["'2026-03-01 10:00:00.123+05:30'::timestamptz", instantOf('2026-03-01T04:30:00.123Z')],
  ["'2026-03-01 10:00:00.123987+00'::timestamptz", instantOf('2026-03-01T10:00:00.123Z')],
  ["'1999-12-31 23:59:59.999999+00'::timestamptz", instantOf('1999-12-31T23:59:59.999Z')],
  ["'0999-12-31 23:59:59+00'::timestamptz", instantOf('0999-12-31T23:59:59Z')],
  ['\'{"a": [1, null]}\'::jsonb', { a: [1, null] }],
  ["decode('00ff', 'hex')", Buffer.from([0, 255])],
  ["'Zoë 💶'::text", 'Zoë 💶'],
  ["''::varchar", ''],
  ['true', true],
  ['false', false],
  ['NULL::int8', null],
  ['NULL::text', null],
  ["ARRAY[1, NULL, '9007199254740993']::int8[]", [1n, null, 9_007_199_254_740_993n]],
  ["ARRAY['2026-03-01 10:00Z']::timestamptz[]", [instantOf('2026-03-01T10:00:00Z')]],
  ["ARRAY['a,b', NULL, 'c\"d']", ['a,b', null, 'c"d']],
  ["(SELECT sum(n) FROM (VALUES ('9007199254740993'::int8)) v (n))", '9007199254740993'],
])(
  'the value of %s is exact, also when its statement is prepared',
  async (expression, expected) => {
    await database.pool.connect(async (connection) => {
      const statement = { ...sql.unsafe`SELECT`, sql: `SELECT ${expression} AS value` }
      // Postgres describes the columns with the first answer only.
      expect(await connection.oneFirst(statement)).toEqual(expected)
      expect(await connection.oneFirst(statement)).toEqual(expected)
    })
  },
)

test('a statement has at most 65,535 parameters, and one with more disturbs no other', async () => {
  const count = (size: number) => {
    const values = Array.from({ length: size }, () => 'x')
    const places = values.map((_, index) => `$${index + 1}`)
    return { ...sql.unsafe``, sql: `SELECT cardinality(ARRAY[${places}]::text[])`, values }
  }
  const counted = [65_535, 65_536, 1].map((size) => database.pool.oneFirst(count(size)))
  const outcomes = await Promise.allSettled(counted)
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: 65_535 },
    { status: 'rejected', reason: new Error('too many parameters') },
    { status: 'fulfilled', value: 1 },
  ])
})

test('instants are correct in a database whose timezone has offsets with seconds', async () => {
  await using zoned = await cloneDatabase([fixture])
  const admin = new pg.Client({ connectionString: zoned.url })
  await admin.connect()
  const name = admin.escapeIdentifier(new URL(zoned.url).pathname.slice(1))
  await admin.query(`ALTER DATABASE ${name} SET timezone = 'Europe/Berlin'`)
  await admin.end()
  await using berlin = await open({ url: zoned.url })
  // In 1850, Berlin was 53 minutes and 28 seconds ahead of UTC.
  const instant = '1850-06-01T00:00:00.000Z'
  const read = await berlin.pool.oneFirst(sql.unsafe`SELECT ${instant}::timestamptz`)
  expect(read).toEqual(new Date(instant))
})

test('a row that does not match the schema of its statement is refused', async () => {
  const promised = sql.type(z.object({ n: z.bigint() }))`SELECT 'text' AS n`
  await expect(database.pool.one(promised)).rejects.toThrow('do not conform')
})

test('a statement is prepared once for all its values', async () => {
  for (const n of [1, 2, 3]) await database.pool.query(sql.unsafe`SELECT ${n}::int4 AS planned`)
  const plans = await value(sql.unsafe`
    SELECT count(*) FROM pg_prepared_statements
    WHERE statement LIKE 'SELECT $1::int4 AS planned'`)
  expect(plans).toBe(1n)
})

test('the count of statements includes BEGIN and COMMIT', async () => {
  const before = database.statements()
  await database.transaction(async (tx) => {
    await tx.query(sql.unsafe`SELECT 1`)
    await tx.query(sql.unsafe`SELECT 2`)
  })
  expect(database.statements() - before).toBe(4)
})

test('a transaction that goes on after an error throws it, and saves nothing', async () => {
  const swallowed = database.transaction(async (tx) => {
    await tx.query(sql.unsafe`CREATE TABLE swallowed (id int)`)
    await tx.query(sql.unsafe`SELECT 1 / 0`).catch(() => undefined)
    await tx.query(sql.unsafe`SELECT 1`).catch(() => undefined)
  })
  await expect(swallowed).rejects.toMatchObject({ code: '22012' })
  expect(await value(sql.unsafe`SELECT to_regclass('swallowed')::text`)).toBeNull()
})

const conflict = sql.unsafe`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`

test('a transaction with a serialization failure is rolled back and repeated', async () => {
  let runs = 0
  await database.transaction(async (tx) => {
    runs++
    await tx.query(sql.unsafe`
      INSERT INTO connections (account_id, feed_link_id, name, version)
      VALUES ('acct_conflict', ${`lfx_${runs}`}, 'one', 1)`)
    if (runs < 3) await tx.query(conflict)
  })
  expect(runs).toBe(3)
  const kept = await database.pool.anyFirst(sql.unsafe`
    SELECT feed_link_id FROM connections WHERE account_id = 'acct_conflict'`)
  expect(kept).toEqual(['lfx_3'])
})

test('a transaction that keeps conflicting fails after its last attempt', async () => {
  let runs = 0
  const hopeless = database.transaction(async (tx) => {
    runs++
    await tx.query(conflict)
  })
  await expect(hopeless).rejects.toMatchObject({ code: '40001' })
  expect(runs).toBe(6)
})

test('a statement beyond its timeout is cancelled', async () => {
  await using hasty = await open({ statementTimeoutMs: 1_000 })
  const slow = hasty.pool.query(sql.unsafe`SELECT pg_sleep(20)`)
  await expect(slow).rejects.toBeInstanceOf(StatementTimeoutError)
})

test('a transaction whose client hangs holds its locks for 8 s at most', async () => {
  const show = sql.unsafe`SHOW idle_in_transaction_session_timeout`
  expect(await value(show)).toBe('8s')
  await using hasty = await open({ statementTimeoutMs: 50 })
  expect(await hasty.pool.oneFirst(show)).toBe('100ms')
})

test('the time of the server is read from it', async () => {
  const ahead = Math.abs((await database.now()).getTime() - Date.now())
  expect(ahead).toBeLessThan(5_000)
  expect(database.answeredAt()).toBeLessThanOrEqual(performance.now())
})

test('health is false while the server is away, and true when it is back', async () => {
  await using proxy = await startProxy(url)
  await using remote = await open({ url: proxy.url })
  expect(await remote.isHealthy()).toBe(true)
  proxy.cut()
  await eventually(remote.isHealthy, (healthy) => !healthy)
  proxy.mend()
  expect(await eventually(remote.isHealthy, (healthy) => healthy)).toBe(true)
})

test('a health check whose process computes for over a second is not a failed one', async () => {
  await using other = await open()
  const healthy = other.isHealthy()
  await new Promise(setImmediate)
  for (const until = performance.now() + 1_200; performance.now() < until; );
  expect(await healthy).toBe(true)
})

test('concurrent health checks share one statement', async () => {
  await using other = await open()
  await Promise.all(Array.from({ length: 20 }, () => other.isHealthy()))
  expect(other.statements()).toBe(1)
})

test('a refusal with problems rolls a transaction back and is thrown unchanged', async () => {
  const refusal = invalid({ name: 'is taken' })
  const run = database.transaction(async (tx) => {
    await tx.query(sql.unsafe`CREATE TABLE undone (id int)`)
    throw refusal
  })
  await expect(run).rejects.toBe(refusal)
  expect(await value(sql.unsafe`SELECT to_regclass('undone')::text`)).toBeNull()
})
