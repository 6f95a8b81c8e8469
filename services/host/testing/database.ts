import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transaction } from '@coffer/kit/database/database'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import pg from 'pg'
import { migrate } from '../src/database/migrations.ts'
import { createDatabase } from '../src/database/pool.ts'
import { tablesOf } from '../src/host.ts'

/** A test's own database, which disposing drops. */
export interface TestDatabase extends AsyncDisposable {
  url: string
}

/**
 * Creates a database with the tables of these services, as a clone of a migrated template. There is
 * one template for each set of migration files.
 */
export async function cloneDatabase(definitions: ServiceDefinition[]): Promise<TestDatabase> {
  const adminUrl = requiredVariable('COFFER_TEST_DATABASE_URL')
  const template = `coffer_template_${await fingerprint(definitions)}`
  await withClient(adminUrl, async (admin) => {
    // Serialized: a database cannot be cloned while a client is connected to it.
    await admin.query(`SELECT pg_advisory_lock(hashtext('coffer test template'))`)
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      template,
    ])
    if (rowCount) return
    const draft = newId('coffer_draft')
    await admin.query(`CREATE DATABASE ${draft}`)
    for (const definition of definitions) {
      await migrate(tablesOf(definition, databaseUrl(adminUrl, draft)))
    }
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${template}`)
  })
  const name = newId('coffer_test')
  await withClient(adminUrl, async (admin) => {
    await admin.query(`SELECT pg_advisory_lock(hashtext('coffer test template'))`)
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  })
  return {
    url: databaseUrl(adminUrl, name),
    [Symbol.asyncDispose]: () =>
      withClient(adminUrl, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      }),
  }
}

/** Statement timeout in ms while a test fills tables on a busy machine. */
const bulkMsMax = 10 * 60_000

/** Runs statements that insert thousands of rows, in one transaction with a longer timeout. */
export async function inBulk(
  place: { url: string; schema: string },
  fill: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const limits = { poolSizeMax: 1, statementTimeoutMs: bulkMsMax }
  await using database = await createDatabase({ ...place, ...limits })
  await database.transaction(fill)
}

/** Executes the statements of a file in a schema, in one transaction. */
export async function fillFrom(place: { url: string; schema: string }, file: URL): Promise<void> {
  const statements = await readFile(file, 'utf8')
  await withClient(place.url, async (client) => {
    await client.query(`SET search_path = ${client.escapeIdentifier(place.schema)}`)
    await client.query(statements)
  })
}

/** Returns an environment variable that the test command sets; throws when it is unset. */
export function requiredVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test`)
  return value
}

/** Runs `work` on a connection of its own, which has no statement timeout. */
export async function withClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString })
  // A lost connection rejects the next query; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

async function fingerprint(definitions: ServiceDefinition[]): Promise<string> {
  const hash = createHash('sha256')
  // migrations.ts creates the table of applied files, which is part of the template.
  hash.update(await readFile(new URL('../src/database/migrations.ts', import.meta.url)))
  for (const definition of definitions) {
    hash.update(definition.schema)
    for (const folder of tablesOf(definition, '').folders) {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'))
      for (const name of names.sort()) {
        hash.update(name).update(await readFile(join(folder, name)))
      }
    }
  }
  return hash.digest('hex').slice(0, 16)
}
