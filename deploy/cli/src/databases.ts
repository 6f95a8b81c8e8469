import { SettingsError } from '@coffer/kit/service/config'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import pg from 'pg'
import type { Config } from './environment.ts'

const connectTimeoutMs = 5_000

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databaseUrls'>

/**
 * The database of one service.
 *
 * @throws {SettingsError} when no setting names it
 */
export function databaseUrlOf(name: string, config: DatabaseConfig): string {
  const url = config.databaseUrls[name] ?? config.databaseUrl
  if (url === undefined) {
    throw new SettingsError('COFFER_DATABASE_URL: not set; "npm start" brings a database along')
  }
  return url
}

/**
 * Makes sure that the services' databases answer.
 *
 * @throws {FatalError} with the database's host and what it said
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
    connectionString: url,
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

/** What went wrong, in a few words; errors of several addresses come without a message. */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] }
  return message || errors?.[0]?.message || code || 'unknown reason'
}
