import { connectionOptions } from '@coffer/host/database/connection'
import { createDatabase, type Pooler } from '@coffer/host/database/pool'
import { requireRoleSettings } from '@coffer/host/database/service-role'
import { withCa } from '@coffer/host/database/tls'
import { postgresVersionFault } from '@coffer/host/server-versions'
import type { Database } from '@coffer/kit/database/database'
import { SettingsError } from '@coffer/kit/service/config'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import pg from 'pg'
import { databaseUrlSettings } from './commands/config.ts'
import type { Config } from './environment.ts'
import type { ServiceName } from './service-names.ts'

const connectTimeoutMs = 5_000
const poolSizeMax = 8

type DatabaseConfig = Pick<Config, 'databaseCa' | 'databaseUrl' | 'databaseUrls'>
type DirectConfig = DatabaseConfig & Pick<Config, 'directDatabaseUrl' | 'directDatabaseUrls'>

/**
 * Returns the URL of a service's database, with the CA certificates of `COFFER_DATABASE_CA`.
 * Throws SettingsError when no setting names it.
 */
export function databaseUrlOf(name: string, config: DatabaseConfig): string {
  const url = config.databaseUrls[name] ?? config.databaseUrl
  if (url === undefined) {
    // Where other services have a database of their own, the one of this service is missing.
    const { env: own } = databaseUrlSettings[name as ServiceName]
    throw new SettingsError(
      Object.keys(config.databaseUrls).length > 0
        ? `${own}: not set, nor COFFER_DATABASE_URL for all services`
        : 'COFFER_DATABASE_URL: not set; "npm start" includes a database',
    )
  }
  return withCa(url, config.databaseCa)
}

/** Returns the URL of a service's database past its pooler; null when no setting names it. */
export function directUrlOf(name: string, config: DirectConfig): string | null {
  const url = config.directDatabaseUrls[name] ?? config.directDatabaseUrl
  return url === undefined ? null : withCa(url, config.databaseCa)
}

/**
 * Returns the URL of a service's database for commands that act as the owner of its tables: past
 * the pooler if a setting names it. Throws SettingsError when no setting names the database.
 */
export function ownerUrlOf(name: string, config: DirectConfig): string {
  return directUrlOf(name, config) ?? databaseUrlOf(name, config)
}

/** Returns the pooler before the URL of `ownerUrlOf`: none before a URL past it. */
export function ownerPoolerOf(
  name: string,
  config: DirectConfig & Pick<Config, 'databasePooler'>,
): Pooler {
  return directUrlOf(name, config) === null ? config.databasePooler : 'none'
}

/** Connects to the database of a service, past its pooler if possible, for a command. */
export function createServiceDatabase(
  { name, schema }: ServiceDefinition,
  config: Pick<Config, keyof DirectConfig | 'statementTimeoutMs' | 'databasePooler'>,
): Promise<Database> {
  const url = ownerUrlOf(name, config)
  const pooler = ownerPoolerOf(name, config)
  const { statementTimeoutMs } = config
  return createDatabase({ url, schema, poolSizeMax, statementTimeoutMs, pooler })
}

/**
 * Connects once to each service's database. Throws FatalError when a connection fails, with the
 * host of the database and the reason, when the server is too old, or when a role lacks what a
 * pooler makes necessary.
 */
export async function requirePostgres(
  definitions: Pick<ServiceDefinition, 'name' | 'schema'>[],
  urlOf: (name: string) => string,
  poolerOf: (name: string) => Pooler = () => 'none',
): Promise<void> {
  const byUrl = new Map(definitions.map((definition) => [urlOf(definition.name), definition]))
  for (const [url, { name, schema }] of byUrl) {
    await using client = await connect(url)
    await requireVersion(client, url)
    if (poolerOf(name) === 'none') continue
    await requireRoleSettings(client, schema).catch((error: Error) => {
      throw new FatalError(error.message)
    })
  }
}

async function requireVersion(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query('SHOW server_version_num')
  const fault = postgresVersionFault(rows[0].server_version_num)
  const { host, pathname } = new URL(url)
  if (fault !== null) throw new FatalError(`Postgres at ${host}${pathname}: ${fault}.`)
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({
    ...(await connectionOptions(url)),
    connectionTimeoutMillis: connectTimeoutMs,
  })
  try {
    await client.connect()
  } catch (error) {
    await client.end()
    const { host, pathname } = new URL(url)
    throw new FatalError(`Postgres at ${host}${pathname} does not answer: ${reasonOf(error)}`)
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/**
 * Returns the reason of a failed connection: the error's message, its first inner error's message,
 * or its code. Node's error has no message when the connections to several addresses have failed.
 */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] }
  return message || errors?.[0]?.message || code || 'unknown reason'
}
