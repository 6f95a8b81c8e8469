import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { indexChanges } from '../../src/database/concurrent-indexes.ts'
import { connectClient } from '../../src/database/connection.ts'
import { migrate, missingMigrations, type Tables } from '../../src/database/migrations.ts'
import { eventually } from '../../testing/boot.ts'
import { cloneDatabase } from '../../testing/database.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'
import { fixture } from '../../testing/fixture/service.ts'

const stack = new AsyncDisposableStack()
let url: string
let value: (text: string) => Promise<unknown>

beforeAll(async () => {
  url = stack.use(await cloneDatabase([fixture])).url
  const { client } = stack.use(await connectClient(url))
  value = async (text) => (await client.query({ text, rowMode: 'array' })).rows[0]?.[0]
})

afterAll(async () => {
  await stack.disposeAsync()
})

const header = '-- no transaction\n'
const index = 'CREATE INDEX CONCURRENTLY by_n ON things (n);\n'
const table = `CREATE TABLE things (n int4);
  INSERT INTO things SELECT generate_series(1, 100); CREATE INDEX former ON things (n)`

/** Creates a schema with a table of 100 rows; its migration of indexes is not applied yet. */
async function tablesWith(schema: string, indexes: string): Promise<Tables> {
  const folder = join(stack.use(await scratchFolder()).path, 'migrations')
  await mkdir(folder)
  const tables = { service: schema, url, schema, folders: [folder] }
  await writeFile(join(folder, '0001-table.sql'), table)
  await migrate(tables)
  await writeFile(join(folder, '0002-indexes.sql'), indexes)
  return tables
}

const isValid = (schema: string, name = 'by_n') =>
  value(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${schema}.${name}')`)

const builds = (schema: string) =>
  value(`SELECT count(*)::int4 FROM pg_stat_progress_create_index
    WHERE relid = '${schema}.things'::regclass`)

/** A transaction that the build of an index waits for. */
async function blocker(text: string) {
  const { client } = stack.use(await connectClient(url))
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query(text)
  return client
}

test('indexes are built and dropped while rows are written, also by two at once', async () => {
  const tables = await tablesWith(
    'pair',
    `${header}-- Of no use.\nDROP INDEX CONCURRENTLY IF EXISTS former;\n${index}`,
  )
  const writer = await blocker('INSERT INTO pair.things VALUES (1)')
  const often = { lockTimeoutMs: 50, lockTriesMax: 10 }
  const migrating = [migrate(tables, often), migrate(tables, often)]
  await eventually(
    () =>
      value(`SELECT count(*)::int4 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`),
    (waiting) => waiting === 1,
  )
  await value('INSERT INTO pair.things VALUES (2)')
  await writer.query('COMMIT')
  expect((await Promise.all(migrating)).flat()).toEqual(['0002-indexes.sql'])
  expect([await isValid('pair'), await isValid('pair', 'former')]).toEqual([true, undefined])
  expect(await missingMigrations(tables)).toEqual([])
  expect(await migrate(tables)).toEqual([])
})

test.each([
  ['early', 'INSERT INTO early.things VALUES (1)'],
  ['late', 'SELECT count(*) FROM late.things'],
])('the build of a killed process is awaited (%s)', async (schema, text) => {
  const tables = await tablesWith(schema, header + index)
  const transaction = await blocker(text)
  const program = new URL('./migrate-process.ts', import.meta.url)
  const child = fork(program, [JSON.stringify(tables)], { execArgv: [] })
  await eventually(
    () => isValid(schema),
    (valid) => valid === false,
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await missingMigrations(tables)).toEqual(['0002-indexes.sql'])
  const built = await value(`SELECT '${schema}.by_n'::regclass::oid`)
  const migrating = migrate(tables)
  await eventually(
    () =>
      value(`SELECT count(*)::int4 FROM pg_locks JOIN pg_database ON oid = database
        WHERE locktype = 'advisory' AND datname = current_database()`),
    (held) => held === 1,
  )
  await transaction.query('COMMIT')
  expect(await migrating).toEqual(['0002-indexes.sql'])
  expect(await isValid(schema)).toBe(true)
  expect(await value(`SELECT '${schema}.by_n'::regclass::oid`)).toBe(built)
})

test('an index that Postgres left INVALID is built again', async () => {
  const tables = await tablesWith('ended', header + index)
  const writer = await blocker('INSERT INTO ended.things VALUES (1)')
  const migrating = migrate(tables)
  const failure = expect(migrating).rejects.toThrow(
    'failed, and its next run continues: terminating connection',
  )
  await eventually(
    () => isValid('ended'),
    (valid) => valid === false,
  )
  await value(`SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index
    WHERE relid = 'ended.things'::regclass`)
  await failure
  expect(await isValid('ended')).toBe(false)
  await writer.query('COMMIT')
  expect(await migrate(tables)).toEqual(['0002-indexes.sql'])
  expect(await isValid('ended')).toBe(true)
})

test('an index that cannot be built is removed, and the file is repeated', async () => {
  const unique = index.replace('INDEX', 'UNIQUE INDEX')
  const tables = await tablesWith('twice', header + unique)
  await value('INSERT INTO twice.things VALUES (1)')
  await expect(migrate(tables)).rejects.toThrow(
    /^twice: 0002-indexes\.sql failed, and its next run continues: could not create unique index/,
  )
  expect(await isValid('twice')).toBeUndefined()
  await value('DELETE FROM twice.things WHERE n = 1')
  expect(await migrate(tables)).toEqual(['0002-indexes.sql'])
})

test.each([
  'UPDATE things SET n = 1;',
  'CREATE INDEX by_n ON things (n);',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS by_n ON things (n);',
  'CREATE INDEX CONCURRENTLY ON things (n);',
  'DROP INDEX CONCURRENTLY by_n;',
])('without a transaction is refused: %s', (text) => {
  expect(indexChanges(header + index + text)).toBeNull()
})

test('a file with another statement is refused before its first statement', async () => {
  const tables = await tablesWith('mixed', `${header + index}UPDATE things SET n = 1;`)
  await expect(migrate(tables)).rejects.toThrow('it may only have statements CREATE INDEX')
  expect([await isValid('mixed'), await builds('mixed')]).toEqual([undefined, 0])
})
