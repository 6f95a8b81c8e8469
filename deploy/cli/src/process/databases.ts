import { connectionOptions } from '@coffer/host/database/connection'
import { createDatabase, type Pooler } from '@coffer/host/database/pool'
import { requireRoleSettings } from '@coffer/host/database/service-role'
import { postgresVersionFault } from '@coffer/host/server-versions'
import type { Database } from '@coffer/kit/database/database'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import pg from 'pg'
import type { Config } from '../settings/environment.ts'
import { type DirectConfig, ownerPoolerOf, ownerUrlOf } from '../settings/servers.ts'

const connectTimeoutMs = 5_000
const poolSizeMax = 8

/** Connects a command to the database of a service, bypassing the pooler if a direct URL is set. */
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
 * Connects once to each service's database. Throws FatalError with the host of the database and the
 * reason when a connection fails, the server is too old, or a role behind a pooler lacks required
 * settings.
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
