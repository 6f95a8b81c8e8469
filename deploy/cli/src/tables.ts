import { MigrationError, missingMigrations } from '@coffer/host/database/migrations'
import { migrateAll, tablesOf } from '@coffer/host/host'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { databaseUrlOf, requirePostgres } from './databases.ts'
import type { Config } from './environment.ts'

/**
 * Applies pending migrations, and returns the names of the applied files, keyed by service. Throws
 * FatalError when a database does not answer, or a migration cannot be applied.
 */
export async function updateTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<Record<string, string[]>> {
  await requirePostgres(definitions, config)
  return migrateAll(definitions, (name) => databaseUrlOf(name, config)).catch(asFatal)
}

/**
 * Checks that every migration of these services is applied. Migrations of a later version of the
 * code are accepted, because each is compatible with the version before. Throws FatalError when a
 * database does not answer, or a migration is missing or was edited after it was applied.
 */
export async function requireTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<void> {
  await requirePostgres(definitions, config)
  for (const definition of definitions) {
    const { name } = definition
    const tables = tablesOf(definition, databaseUrlOf(name, config))
    const [missing] = await missingMigrations(tables).catch(asFatal)
    if (missing !== undefined) {
      throw new FatalError(
        `The tables of ${name} lack ${missing}: run "coffer migrate", or serve with --migrate.`,
      )
    }
  }
}

function asFatal(error: unknown): never {
  throw error instanceof MigrationError ? new FatalError(error.message) : error
}
