import { connectionOptions } from '@coffer/host/database/connection'
import { createDatabase } from '@coffer/host/database/pool'
import { withCa } from '@coffer/host/database/tls'
import type { Database } from '@coffer/kit/database/database'
import { SettingsError } from '@coffer/kit/service/config'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import pg from 'pg'
import type { Config } from './environment.ts'

const connectTimeoutMs = 5_000
const poolSizeMax = 8

type DatabaseConfig = Pick<Config, 'databaseCa' | 'databaseUrl' | 'databaseUrls'>

/**
 * Returns the URL of a service's database, with the CA certificates of `COFFER_DATABASE_CA`.
 * Throws SettingsError when no setting names it.
 */
export function databaseUrlOf(name: string, config: DatabaseConfig): string {
  const url = config.databaseUrls[name] ?? config.databaseUrl
  if (url === undefined) {
    throw new SettingsError('COFFER_DATABASE_URL: not set; "npm start" includes a database')
  }
  return withCa(url, config.databaseCa)
}

/** Connects to the database of a service, for a command. */
export function createServiceDatabase(
  { name, schema }: ServiceDefinition,
  config: Pick<Config, keyof DatabaseConfig | 'statementTimeoutMs'>,
): Promise<Database> {
  const url = databaseUrlOf(name, config)
  const { statementTimeoutMs } = config
  return createDatabase({ url, schema, poolSizeMax, statementTimeoutMs })
}

/**
 * Connects once to each service's database. Throws FatalError when a connection fails, with the
 * host of the database and the reason.
 */
export async function requirePostgres(
  definitions: ServiceDefinition[],
  config: DatabaseConfig,
): Promise<void> {
  const urls = new Set(definitions.map(({ name }) => databaseUrlOf(name, config)))
  for (const url of urls) {
    await requireAnswer(url)
  }
}

async function requireAnswer(url: string): Promise<void> {
  const client = new pg.Client({
    ...(await connectionOptions(url)),
    connectionTimeoutMillis: connectTimeoutMs,
  })
  try {
    await client.connect()
  } catch (error) {
    const { host, pathname } = new URL(url)
    throw new FatalError(`Postgres at ${host}${pathname} does not answer: ${reasonOf(error)}`)
  } finally {
    await client.end()
  }
}

/**
 * Returns the reason of a failed connection: the error's message, its first inner error's message,
 * or its code. Node's error has no message when the connections to several addresses have failed.
 */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] }
  return message || errors?.[0]?.message || code || 'unknown reason'
}
