import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { changeIndexes, indexChanges, isOutsideTransaction } from './concurrent-indexes.ts'
import { connectClient } from './connection.ts'
import { formerFault } from './former-tables.ts'
import { type MigrationFile, readMigrations } from './migration-files.ts'

/** The Postgres schema of a service, and the folders of its migrations (SQL files). */
export interface Tables {
  service: string
  url: string
  schema: string
  folders: string[]
}

/** Explains in one line to the operator why a schema cannot be migrated. */
export class MigrationError extends Error {}

/** Lock timeout in ms. Short, because requests queue behind a migration that waits for a lock. */
const lockTimeoutMs = 3_000
const lockTriesMax = 10

/**
 * Applies the missing SQL files of a schema, ordered by folder and name; returns their names. Each
 * runs in a transaction under an advisory lock, except files of concurrent indexes. Tables that an
 * earlier set of migrations created are kept; the files that would create them are recorded as
 * applied.
 * @throws {MigrationError} when an applied file was edited or is missing in this version, when
 * tables are too old, or when a file fails
 */
export async function migrate(
  tables: Tables,
  options = { lockTimeoutMs, lockTriesMax },
): Promise<string[]> {
  return applyFiles(tables, await readMigrations(tables.folders), options)
}

/**
 * Applies only the files `wanted`, which the release of an archive had applied, so that the rows of
 * the archive can be loaded before later files change the tables.
 * @throws {MigrationError} also when this release lacks one of the files or has another text for it
 */
export async function migrateTo(
  tables: Tables,
  wanted: readonly Pick<MigrationFile, 'name' | 'checksum'>[],
): Promise<void> {
  const checksums = new Map(wanted.map(({ name, checksum }) => [name, checksum]))
  const files = await readMigrations(tables.folders)
  requireKnown(tables.service, checksums, files)
  requireUnedited(tables.service, checksums, files)
  await using connection = await connectClient(tables.url)
  const applied = await appliedFiles(connection.client, tables.schema)
  const newer = [...applied.keys()].find((name) => !checksums.has(name))
  if (newer !== undefined) {
    throw new MigrationError(`${tables.service}: its tables have ${newer} already.`)
  }
  const chosen = files.filter(({ name }) => checksums.has(name))
  await applyFiles(tables, chosen, { lockTimeoutMs, lockTriesMax })
}

async function applyFiles(
  tables: Tables,
  files: MigrationFile[],
  options: { lockTimeoutMs: number; lockTriesMax: number },
): Promise<string[]> {
  await using connection = await connectClient(tables.url)
  const names: string[] = []
  for (let tries = 1; ; ) {
    try {
      const next = await applyNext(connection.client, tables, files, options.lockTimeoutMs)
      if (next === null) {
        if (names.length > 0) await analyze(connection.client, tables.schema)
        return names
      }
      const isOurs = !isOutsideTransaction(next.text) || (await applyIndexes(tables, next))
      if (isOurs) names.push(next.name)
      else await sleep(options.lockTimeoutMs)
      tries = 1
    } catch (error) {
      if (!(error instanceof LockError)) throw error
      if (tries === options.lockTriesMax) {
        throw new MigrationError(
          `${error.message}, ${tries} times. Run it again at a quieter time.`,
        )
      }
      tries++
      await sleep(options.lockTimeoutMs)
    }
  }
}

/**
 * Returns the names of the SQL files that are not applied. Ignores applied files of newer versions.
 * @throws {MigrationError} when an applied file was edited
 */
export async function missingMigrations(tables: Tables): Promise<string[]> {
  const files = await readMigrations(tables.folders)
  await using connection = await connectClient(tables.url)
  const applied = await appliedFiles(connection.client, tables.schema)
  requireUnedited(tables.service, applied, files)
  return files.filter(({ name }) => !applied.has(name)).map(({ name }) => name)
}

/** Throws MigrationError when `migrate` would refuse the applied files. Changes nothing. */
export async function checkMigrations(tables: Tables): Promise<void> {
  const files = await readMigrations(tables.folders)
  await using connection = await connectClient(tables.url)
  await readApplied(connection.client, tables, files)
}

/**
 * Applies the next missing SQL file and returns it, or null when none is missing. A file of
 * concurrent indexes is returned without being applied, because it cannot run in a transaction.
 */
async function applyNext(
  client: pg.Client,
  tables: Tables,
  files: MigrationFile[],
  lockMs: number,
): Promise<MigrationFile | null> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`migrate ${tables.schema}`])
    const { applied, adopted } = await readApplied(client, tables, files)
    await prepare(client, tables.schema)
    for (const file of adopted) await recordApplied(client, file)
    const next = files.find((file) => !applied.has(file.name) && !adopted.includes(file))
    if (next && !isOutsideTransaction(next.text)) {
      await client.query(`SET LOCAL lock_timeout = ${lockMs}`)
      await apply(client, tables.service, next)
    }
    await client.query('COMMIT')
    return next ?? null
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * Updates the planner's statistics, which a rewritten column loses. Skips empty tables: cached
 * plans for empty tables would stay in use while the tables grow.
 */
async function analyze(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r' AND pg_relation_size(pg_class.oid) > 0`,
    [schema],
  )
  for (const { name } of rows) await client.query(`ANALYZE ${name}`)
}

/**
 * Reads the applied files of a schema. `adopted`: files to record as applied without running them,
 * because an earlier set of migrations has created their tables.
 * @throws {MigrationError} when `migrate` refuses the applied files
 */
async function readApplied(
  client: pg.Client,
  { service, schema, folders }: Tables,
  files: MigrationFile[],
): Promise<{ applied: Applied; adopted: MigrationFile[] }> {
  const applied = await appliedFiles(client, schema)
  requireKnown(service, applied, files)
  requireUnedited(service, applied, files)
  const former = applied.size > 0 ? [] : await recordsIn(client, schema, 'migrations')
  if (former.length === 0) return { applied, adopted: [] }
  const names = former.map(({ name }) => name)
  const fault = await formerFault(names, folders)
  if (fault !== null) throw new MigrationError(`${service}: ${fault}`)
  return { applied, adopted: files.filter(({ name }) => name.startsWith('0001-')) }
}

/** Creates the schema and its table of applied files, if missing. */
async function prepare(client: pg.Client, schemaName: string): Promise<void> {
  const schema = client.escapeIdentifier(schemaName)
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await client.query(`SET LOCAL search_path = ${schema}`)
  await client.query(
    'CREATE TABLE IF NOT EXISTS applied_migrations (name text PRIMARY KEY, checksum text NOT NULL)',
  )
}

async function apply(client: pg.Client, service: string, file: MigrationFile): Promise<void> {
  try {
    await client.query(file.text)
  } catch (error) {
    throw faultOf(error, service, file)
  }
  await recordApplied(client, file)
}

function faultOf(error: unknown, service: string, { name, text }: MigrationFile): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  const { code = '', message } = error
  if (lockCodes.has(code)) return new LockError(`${service}: ${name}: ${message}`)
  const isPartial = isOutsideTransaction(text)
  const state = isPartial ? 'and its next run continues' : 'and nothing of it is applied'
  return new MigrationError(`${service}: ${name} failed, ${state}: ${message}`)
}

/**
 * Applies a file of concurrent indexes. Returns false, and changes nothing, if another process is
 * applying the file or has applied it.
 */
async function applyIndexes(tables: Tables, file: MigrationFile): Promise<boolean> {
  const { service, url, schema } = tables
  const changes = indexChanges(file.text)
  if (changes === null) {
    throw new MigrationError(
      `${service}: ${file.name} runs outside a transaction, so it may only have statements ` +
        'CREATE INDEX CONCURRENTLY and DROP INDEX CONCURRENTLY IF EXISTS.',
    )
  }
  await using builder = await connectClient(url)
  await using holder = await connectClient(url)
  if (!(await takeIndexLock(holder.client, schema))) return false
  if ((await appliedFiles(builder.client, schema)).has(file.name)) return false
  try {
    await changeIndexes(builder.client, schema, changes)
  } catch (error) {
    throw faultOf(error, service, file)
  }
  await prepare(holder.client, schema)
  await recordApplied(holder.client, file)
  await holder.client.query('COMMIT')
  return true
}

/**
 * Begins a transaction and takes an advisory lock in it; returns false if another process holds it.
 * Building an index CONCURRENTLY waits for all older snapshots of the database, so this transaction
 * must hold no snapshot. So it is READ COMMITTED, binds no parameters (their portal would hold a
 * snapshot), and does not wait for the lock. Files in transactions use another lock and wait for
 * it.
 */
async function takeIndexLock(client: pg.Client, schema: string): Promise<boolean> {
  const key = client.escapeLiteral(`migrate ${schema} concurrently`)
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query(`SELECT pg_try_advisory_xact_lock(hashtext(${key})) AS held`)
  return rows[0].held
}

async function recordApplied(client: pg.Client, { name, checksum }: MigrationFile): Promise<void> {
  await client.query('INSERT INTO applied_migrations (name, checksum) VALUES ($1, $2)', [
    name,
    checksum,
  ])
}

/** SQLSTATEs lock_not_available and deadlock_detected, after which a migration is retried. */
const lockCodes = new Set(['55P03', '40P01'])

class LockError extends Error {}

/** Checksums of the applied SQL files, by file name. */
type Applied = ReadonlyMap<string, string>

async function appliedFiles(client: pg.Client, schema: string): Promise<Applied> {
  const files = await recordsIn(client, schema, 'applied_migrations')
  return new Map(files.map(({ name, checksum }) => [name, checksum]))
}

/** Returns the rows of a table of applied migrations; an empty list if there is no such table. */
async function recordsIn(
  client: pg.Client,
  schema: string,
  name: string,
): Promise<Omit<MigrationFile, 'text'>[]> {
  const table = `${client.escapeIdentifier(schema)}.${name}`
  const known = await client.query('SELECT to_regclass($1) AS name', [table])
  if (known.rows[0].name === null) return []
  return (await client.query(`SELECT * FROM ${table}`)).rows
}

/** Throws MigrationError when an applied SQL file is missing in this version. */
function requireKnown(service: string, applied: Applied, files: MigrationFile[]): void {
  const unknown = [...applied.keys()].find((name) => !files.some((file) => file.name === name))
  if (unknown === undefined) return
  throw new MigrationError(
    `${service}: its tables are newer than this program, which has no ${unknown}: ` +
      'start the newer version. Nothing was changed.',
  )
}

/** Throws MigrationError when the checksum of an applied SQL file has changed. */
function requireUnedited(service: string, applied: Applied, files: MigrationFile[]): void {
  const edited = files.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum)
  if (edited === undefined) return
  throw new MigrationError(
    `${service}: ${edited.name} was edited after it was applied: ` +
      'restore it, and write another file for the change. Nothing was changed.',
  )
}
