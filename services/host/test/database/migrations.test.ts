import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  checkMigrations,
  migrate,
  missingMigrations,
  type Tables,
} from '../../src/database/migrations.ts'
import { eventually } from '../../testing/boot.ts'
import { cloneDatabase } from '../../testing/database.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'
import { fixture } from '../../testing/fixture/service.ts'

const stack = new AsyncDisposableStack()
let url: string
let database: Awaited<ReturnType<typeof connectClient>>

beforeAll(async () => {
  url = stack.use(await cloneDatabase([fixture])).url
  database = stack.use(await connectClient())
})

afterAll(async () => {
  await stack.disposeAsync()
})

async function connectClient() {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function value(text: string): Promise<unknown> {
  const { rows } = await database.query({ text, rowMode: 'array' })
  return rows[0]?.[0]
}

/** A Postgres schema whose migration files the test writes. */
interface Written extends AsyncDisposable {
  tables: Tables
  write: (files: Record<string, string>) => Promise<void>
  remove: (name: string) => Promise<void>
}

async function service(schema: string, files: Record<string, string>): Promise<Written> {
  const scratch = await scratchFolder()
  const folder = join(scratch.path, 'migrations')
  await mkdir(folder)
  const write = async (more: Record<string, string>) => {
    for (const [name, text] of Object.entries(more)) await writeFile(join(folder, name), text)
  }
  await write(files)
  return {
    tables: { service: `${schema}-service`, url, schema, folders: [folder] },
    write,
    remove: (name) => rm(join(folder, name)),
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  }
}

const table = 'CREATE TABLE things (n int4)'
const rows = 'INSERT INTO things VALUES (1)'

test('migrations are applied in order and once, also by two at the same time', async () => {
  await using fresh = await service('fresh', {
    '0002-row.sql': rows,
    '0001-table.sql': table,
    'notes.md': 'not a migration',
  })
  const applied = await Promise.all([migrate(fresh.tables), migrate(fresh.tables)])
  expect(applied.flat().sort()).toEqual(['0001-table.sql', '0002-row.sql'])
  expect(await migrate(fresh.tables)).toEqual([])
  expect(await value('SELECT count(*) FROM fresh.things')).toBe('1')
})

test('tables with rows are analyzed after a migration, empty ones are not', async () => {
  const other = 'CREATE TABLE others (n int4)'
  await using filled = await service('filled', { '0001-tables.sql': `${table}; ${other}; ${rows}` })
  await migrate(filled.tables)
  const known = (name: string) =>
    value(`SELECT reltuples FROM pg_class WHERE oid = 'filled.${name}'::regclass`)
  expect([await known('things'), await known('others')]).toEqual([1, -1])
})

test('a migration that fails is named, leaves nothing, and keeps those before it', async () => {
  const wrong = `${rows}; CREATE TABEL half (n int4)`
  await using halfway = await service('halfway', {
    '0001-table.sql': table,
    '0002-wrong.sql': wrong,
  })
  await expect(migrate(halfway.tables)).rejects.toThrow(
    'halfway-service: 0002-wrong.sql failed, and nothing of it is applied: syntax error at or near',
  )
  expect(await value('SELECT count(*) FROM halfway.things')).toBe('0')
  await halfway.write({ '0002-wrong.sql': rows })
  expect(await migrate(halfway.tables)).toEqual(['0002-wrong.sql'])
})

test('an applied migration that was edited is refused', async () => {
  await using edited = await service('edited', { '0001-table.sql': table })
  await migrate(edited.tables)
  await edited.write({ '0001-table.sql': `${table};`, '0002-row.sql': rows })
  const line = /^edited-service: 0001-table\.sql was edited .+ Nothing was changed\.$/
  await expect(migrate(edited.tables)).rejects.toThrow(line)
  await expect(checkMigrations(edited.tables)).rejects.toThrow(line)
  await expect(missingMigrations(edited.tables)).rejects.toThrow(line)
  await edited.write({ '0001-table.sql': table })
  expect(await migrate(edited.tables)).toEqual(['0002-row.sql'])
})

test('tables newer than the program are served and not migrated', async () => {
  await using newer = await service('newer', { '0001-table.sql': table, '0002-row.sql': rows })
  await migrate(newer.tables)
  await newer.remove('0002-row.sql')
  const line =
    /^newer-service: its tables are newer .+ has no 0002-row\.sql: start the newer version/
  await expect(migrate(newer.tables)).rejects.toThrow(line)
  await expect(checkMigrations(newer.tables)).rejects.toThrow(line)
  expect(await missingMigrations(newer.tables)).toEqual([])
})

test('missing migrations are those not applied, all of them without a schema', async () => {
  await using early = await service('early', { '0001-table.sql': table })
  expect(await missingMigrations(early.tables)).toEqual(['0001-table.sql'])
  await checkMigrations(early.tables)
  expect(await value(`SELECT to_regnamespace('early') IS NULL`)).toBe(true)
  await migrate(early.tables)
  await early.write({ '0002-row.sql': rows })
  expect(await missingMigrations(early.tables)).toEqual(['0002-row.sql'])
})

async function formerTables(schema: string, ...names: string[]): Promise<void> {
  await database.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.migrations AS SELECT unnest('{${names.join()}}'::text[]) AS name;
    CREATE TABLE ${schema}.things AS SELECT 1 AS n`)
}

const former = { '0001-table.sql': table, 'former.txt': '0001-small.sql\n0002-larger.sql\n' }

test('tables of the former migrations are adopted, and newer migrations applied', async () => {
  await using old = await service('old', { ...former, '0002-row.sql': rows })
  await formerTables('old', '0001-small.sql', '0002-larger.sql')
  await checkMigrations(old.tables)
  expect(await missingMigrations(old.tables)).toEqual(['0001-table.sql', '0002-row.sql'])
  const applied = await Promise.all([migrate(old.tables), migrate(old.tables)])
  expect(applied.flat()).toEqual(['0002-row.sql'])
  expect(await missingMigrations(old.tables)).toEqual([])
  expect(await value('SELECT count(*) FROM old.things')).toBe('2')
  // The previous version can still start: the table `migrations` keeps the names of its two files.
  expect(await value('SELECT count(*) FROM old.migrations')).toBe('2')
  await old.write({ '0001-table.sql': `${table};` })
  await expect(migrate(old.tables)).rejects.toThrow('0001-table.sql was edited')
})

test.each([
  ['older', ['0001-small.sql'], 'an older version (they lack 0002-larger.sql): start commit '],
  [
    'other',
    ['0001-small.sql', '0002-larger.sql', '0003-own.sql'],
    'another version (they have 0003-own.sql, which this one does not know): start that version.',
  ],
])('%s tables than those of all former migrations are refused', async (schema, names, why) => {
  await using old = await service(schema, former)
  await formerTables(schema, ...names)
  const line = `${schema}-service: its tables are of ${why}`
  await expect(migrate(old.tables)).rejects.toThrow(line)
  await expect(checkMigrations(old.tables)).rejects.toThrow(line)
  expect(await value(`SELECT to_regclass('${schema}.applied_migrations')`)).toBeNull()
})

const impatient = { lockTimeoutMs: 100, lockTriesMax: 2 }

test('a migration waits for a lock briefly, so that requests behind it continue', async () => {
  await using busy = await service('busy', { '0001-table.sql': table })
  await migrate(busy.tables)
  await busy.write({ '0002-column.sql': 'ALTER TABLE things ADD COLUMN m int4' })
  await using reader = await connectClient()
  await reader.query('BEGIN; SELECT FROM busy.things')
  await expect(migrate(busy.tables, impatient)).rejects.toThrow(
    /^busy-service: 0002-column\.sql: .*lock timeout, 2 times\. Run it again/,
  )
  const migrating = migrate(busy.tables, { lockTimeoutMs: 100, lockTriesMax: 100 })
  const waits = `SELECT count(*)::int4 FROM pg_locks
    WHERE relation = 'busy.things'::regclass AND NOT granted`
  await eventually(
    () => value(waits),
    (waiting) => waiting === 1,
  )
  // The query waits behind the migration until the migration's lock timeout.
  expect(await value('SELECT count(*) FROM busy.things')).toBe('0')
  await reader.query('COMMIT')
  expect(await migrating).toEqual(['0002-column.sql'])
})
