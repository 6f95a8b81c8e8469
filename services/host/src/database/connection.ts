import { readFile } from 'node:fs/promises'
import { SettingsError } from '@coffer/kit/service/config'
import pg, { type ClientConfig } from 'pg'
import { parseDsn } from 'slonik'
import { isSocket, type Mode, tlsFault } from './tls.ts'

/**
 * Returns the address, credentials and TLS options of a Postgres URL, for every client of pg. Reads
 * the certificates from their files at each call, so that a new connection has renewed ones.
 * @throws {SettingsError} when the URL's TLS parameters cannot be used, or a file cannot be read
 */
export async function connectionOptions(url: string): Promise<ClientConfig> {
  requireTls(url)
  const located = new URL(url)
  const tls = Object.fromEntries(located.searchParams)
  for (const name of tlsParameters) located.searchParams.delete(name)
  const dsn = parseDsn(located.href)
  return {
    application_name: dsn.applicationName,
    database: dsn.databaseName,
    host: dsn.host,
    options: dsn.options,
    password: dsn.password,
    port: dsn.port,
    user: dsn.username,
    ssl: isSocket(located) ? false : await tlsOptions(tls),
    // SCRAM with channel binding (RFC 5929 4) where the server offers it.
    enableChannelBinding: ['prefer', 'require'].includes(tls.channel_binding ?? ''),
  }
}

/** Throws SettingsError when the TLS parameters of a Postgres URL cannot be used. */
export function requireTls(url: string): void {
  const fault = tlsFault(url)
  if (fault !== null) throw new SettingsError(`Postgres URL: ${fault}`)
}

/**
 * TLS parameters of libpq. They are removed from the URL before slonik parses it, because slonik
 * refuses some of them and interprets others differently.
 */
const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'channel_binding']

/**
 * Returns TLS options for libpq's parameters. `require` verifies chain and name like `verify-full`,
 * which is stricter than libpq. Without a mode, a CA or a client certificate means `verify-full`.
 */
async function tlsOptions(given: Record<string, string>): Promise<ClientConfig['ssl']> {
  const { sslmode, sslrootcert, sslcert, sslkey } = given
  const isImplied = sslrootcert !== undefined || sslcert !== undefined
  const mode = (sslmode ?? (isImplied ? 'verify-full' : 'disable')) as Mode
  if (mode === 'disable') return false
  // `system` means the certificates of the operating system in libpq. Here it means those of Node,
  // which are the default when `ca` is unset.
  const ca = sslrootcert === 'system' ? undefined : await textOf('sslrootcert', sslrootcert)
  return {
    rejectUnauthorized: mode !== 'no-verify',
    ...(ca === undefined ? {} : { ca }),
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(sslcert === undefined ? {} : { cert: await textOf('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: await textOf('sslkey', sslkey) }),
  }
}

async function textOf(parameter: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new SettingsError(`Postgres URL: ${parameter}: ${(error as Error).message}`)
  }
}

const connectMsMax = 4_000

/** Opens one connection outside any pool; disposing closes it. */
export async function connectClient(url: string): Promise<{ client: pg.Client } & AsyncDisposable> {
  const client = new pg.Client({
    ...(await connectionOptions(url)),
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
  })
  // Without a listener, Node throws on 'error'. The listener ignores the error, because the next
  // statement on a broken connection fails anyway.
  client.on('error', () => {})
  const disposable = { client, [Symbol.asyncDispose]: () => client.end() }
  try {
    await client.connect()
  } catch (error) {
    await client.end()
    throw error
  }
  return disposable
}
