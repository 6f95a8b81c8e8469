import { MigrationError, missingMigrations } from '@coffer/host/database/migrations'
import type { Pooler } from '@coffer/host/database/pool'
import { ensureServiceRole } from '@coffer/host/database/service-role'
import { migrateAll, tablesOf } from '@coffer/host/host'
import { SettingsError } from '@coffer/kit/service/config'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import type { Config } from '../settings/environment.ts'
import { databaseUrlOf, directUrlOf, ownerPoolerOf, ownerUrlOf } from '../settings/servers.ts'
import { requirePostgres } from './databases.ts'

/**
 * Applies pending migrations, and returns the names of the applied files, keyed by service. Throws
 * FatalError when a database does not answer, or a migration cannot be applied.
 */
export async function updateTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<Record<string, string[]>> {
  const urlOf = (name: string) => ownerUrlOf(name, config)
  await requirePostgres(definitions, urlOf)
  return migrateAll(definitions, urlOf).catch(asFatal)
}

/**
 * Creates or updates the Postgres role of each service, whose name and password are in the URL of
 * its database, and revokes its rights on other schemas. Returns the names of the roles. Throws
 * SettingsError without the owner's URL or if two services have the same role. Throws FatalError
 * when a URL has no password or names the owner, or Postgres refuses.
 */
export async function updateRoles(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<string[]> {
  const owners = definitions.map(({ name }) => {
    const ownerUrl = directUrlOf(name, config)
    if (ownerUrl !== null) return ownerUrl
    throw new SettingsError('COFFER_DIRECT_DATABASE_URL: not set, and --roles needs the owner')
  })
  requireOwnRoles(definitions, config)
  const names: string[] = []
  for (const [index, { name, schema }] of definitions.entries()) {
    const ownerUrl = owners[index] ?? ''
    const url = databaseUrlOf(name, config)
    const { statementTimeoutMs } = config
    const ensured = ensureServiceRole({ url, ownerUrl, schema, statementTimeoutMs })
    names.push(
      await ensured.catch((error: Error) => {
        throw new FatalError(`${name}: ${error.message}`)
      }),
    )
  }
  return names
}

/** Throws SettingsError if two services have the same role: it could read the tables of both. */
function requireOwnRoles(definitions: ServiceDefinition[], config: Config): void {
  const services = new Map<string, string>()
  for (const { name } of definitions) {
    const { username } = new URL(databaseUrlOf(name, config))
    const other = services.get(username)
    if (other !== undefined) {
      throw new SettingsError(
        `COFFER_<SERVICE>_DATABASE_URL: ${other} and ${name} have the role "${username}"; ` +
          '--roles needs one for each service',
      )
    }
    services.set(username, name)
  }
}

/**
 * Checks for a command that every migration of these services is applied, at the URLs that the
 * command uses (`ownerUrlOf`). Accepts further migrations of the next release, which are compatible
 * with this one. Throws FatalError when a database does not answer, or a migration is missing or
 * was edited after it was applied, SettingsError without a URL.
 */
export function requireTables(definitions: ServiceDefinition[], config: Config): Promise<void> {
  return checkTables(definitions, {
    urlOf: (name) => ownerUrlOf(name, config),
    poolerOf: (name) => ownerPoolerOf(name, config),
  })
}

/** Checks like `requireTables`, but at the URLs of running services, which may use a pooler. */
export function requireServedTables(
  definitions: ServiceDefinition[],
  config: Config,
): Promise<void> {
  return checkTables(definitions, {
    urlOf: (name) => databaseUrlOf(name, config),
    poolerOf: () => config.databasePooler,
  })
}

interface Connections {
  urlOf: (name: string) => string
  poolerOf: (name: string) => Pooler
}

async function checkTables(
  definitions: ServiceDefinition[],
  { urlOf, poolerOf }: Connections,
): Promise<void> {
  await requirePostgres(definitions, urlOf, poolerOf)
  for (const definition of definitions) {
    const { name } = definition
    const tables = tablesOf(definition, urlOf(name))
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
