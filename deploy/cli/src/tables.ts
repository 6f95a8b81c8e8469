import { readdir } from 'node:fs/promises'
import { migrationFolders } from '@coffer/kit/host'
import type { ServiceDefinition } from '@coffer/kit/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import pg from 'pg'
import { databaseUrlOf } from './databases.ts'
import type { Config } from './environment.ts'

/**
 * @throws {FatalError} when a service's tables are older than its code
 */
export async function requireTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<void> {
  for (const definition of definitions) {
    const [missing] = await missingMigrations(definition, databaseUrlOf(definition.name, config))
    if (missing !== undefined) {
      throw new FatalError(
        `The tables of ${definition.name} lack ${missing}: ` +
          'run "coffer migrate", or serve with --migrate.',
      )
    }
  }
}

async function missingMigrations(definition: ServiceDefinition, url: string): Promise<string[]> {
  const listed = await Promise.all(migrationFolders(definition).map((folder) => readdir(folder)))
  const applied = await appliedMigrations(definition.schema, url)
  return listed.flat().filter((file) => file.endsWith('.sql') && !applied.includes(file))
}

async function appliedMigrations(schema: string, url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const table = `${client.escapeIdentifier(schema)}.migrations`
    const known = await client.query('SELECT to_regclass($1) AS name', [table])
    if (known.rows[0].name === null) {
      return []
    }
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${table}`)
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}
