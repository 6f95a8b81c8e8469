import { MigrationError, missingMigrations } from '@coffer/host/database/migrations'
import { migrateAll, tablesOf } from '@coffer/host/host'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { databaseUrlOf } from './databases.ts'
import type { Config } from './environment.ts'

/**
 * Applies what is new to the services' schemas, and returns the files applied, by service.
 *
 * @throws {FatalError} when the tables cannot be brought up to date
 */
export async function updateTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<Record<string, string[]>> {
  return migrateAll(definitions, (name) => databaseUrlOf(name, config)).catch(asFatal)
}

/**
 * Newer tables are fine: migrations are compatible with the version before them.
 *
 * @throws {FatalError} when a service's tables are older than its code, or made by edited files
 */
export async function requireTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<void> {
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
