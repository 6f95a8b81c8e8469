import type { Database } from '@coffer/kit/database/database'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { createDatabase } from '../src/database/pool.ts'
import { cloneDatabase } from '../testing/database.ts'
import { keepLogLines } from '../testing/log-lines.ts'

const stack = new AsyncDisposableStack()
const secret = 'Groceries of Ann'
let database: Database

beforeAll(async () => {
  const { url } = stack.use(await cloneDatabase([]))
  const options = { url, schema: 'public', poolSizeMax: 2, statementTimeoutMs: 10_000 }
  database = stack.use(await createDatabase(options))
  await database.pool.query(sql.unsafe`
    CREATE TABLE names (name text CONSTRAINT short CHECK (length(name) < 4), size int)`)
})

afterAll(() => stack.disposeAsync())

/** Logs the error that `work` throws; returns the log line, parsed and as text. */
async function lineOf(work: () => unknown) {
  const { log, lines, text } = keepLogLines()
  try {
    await work()
  } catch (error) {
    log.error({ err: error, tries: [{ error }] }, 'failed')
  }
  return { line: lines()[0], text: text() }
}

test('a row that breaks a CHECK is not in the log, the constraint is', async () => {
  const insert = sql.unsafe`INSERT INTO names (name) VALUES (${secret})`
  const { line, text } = await lineOf(() => database.transaction((tx) => tx.query(insert)))
  expect(text).not.toContain(secret)
  expect(JSON.stringify(line.err)).toContain('"constraint":"short"')
  expect(line.err.stack).toContain('    at ')
})

test('a row of the wrong shape is not in the log, the path of the fault is', async () => {
  const wrong = sql.type(z.object({ name: z.number() }))`SELECT ${secret}::text AS name`
  const { line, text } = await lineOf(() => database.pool.one(wrong))
  expect(text).not.toContain(secret)
  expect(line.err).toMatchObject({
    type: 'SchemaValidationError',
    issues: [{ path: ['name'], code: 'invalid_type' }],
  })
})

test.each([
  ['a value that Postgres cannot read', () => database.pool.query(wrongNumber)],
  ['a text that is no JSON', () => JSON.parse(`{"name": ${secret}`)],
  ['a value of the wrong shape', () => z.strictObject({}).parse({ [secret]: 1 })],
  ['what an HTTP client sent', () => Promise.reject(requestFailed())],
  ['an address in a message', () => Promise.reject(new Error('550 <ann@example.com>'))],
])('%s is not in the log', async (_what, work) => {
  const { line, text } = await lineOf(work)
  expect(line.msg).toBe('failed')
  expect(text).not.toMatch(/Groceries|ann@/)
})

const wrongNumber = sql.unsafe`INSERT INTO names (size) VALUES ((${secret}::text)::int)`

function requestFailed(): Error {
  const headers = { authorization: secret }
  return Object.assign(new Error('503'), { status: 503, config: { headers, data: secret } })
}

test('secrets are removed by name at every depth, other fields are unchanged', () => {
  const { log, lines } = keepLogLines()
  const seen = { accountId: 'acct_1', ms: 1.5, days: [new Date(0)], none: null }
  log.info({ ...seen, deep: [{ deeper: { sessionToken: 'x', 'set-cookie': ['y'] } }] }, 'done')
  expect(lines()[0]).toMatchObject({
    name: 'test',
    ...JSON.parse(JSON.stringify(seen)),
    deep: [{ deeper: { sessionToken: '[removed]', 'set-cookie': '[removed]' } }],
    msg: 'done',
  })
})

test('an error keeps its type, message, stack and cause', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', port: 1 })
  const { line } = await lineOf(() => {
    throw new ConnectError('away', Code.Unavailable, undefined, undefined, cause)
  })
  expect(line.err).toMatchObject({
    type: 'ConnectError',
    message: '[unavailable] away',
    code: Code.Unavailable,
    cause: { code: 'ECONNREFUSED', port: 1 },
  })
})
