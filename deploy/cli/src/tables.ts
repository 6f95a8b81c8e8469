import { migrateAll, tablesOf } from '@coffer/kit/host'
import { MigrationError, missingMigrations } from '@coffer/kit/migrations'
import type { ServiceDefinition } from '@coffer/kit/service'
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
  try {
    return await migrateAll(definitions, (name) => databaseUrlOf(name, config))
  } catch (error) {
    throw error instanceof MigrationError ? new FatalError(error.message) : error
  }
}

/**
 * Newer tables are fine: migrations are compatible with the version before them.
 *
 * @throws {FatalError} when a service's tables are older than its code
 */
export async function requireTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<void> {
  for (const definition of definitions) {
    const { name } = definition
    const [missing] = await missingMigrations(tablesOf(definition, databaseUrlOf(name, config)))
    if (missing !== undefined) {
      throw new FatalError(
        `The tables of ${name} lack ${missing}: run "coffer migrate", or serve with --migrate.`,
      )
    }
  }
}
