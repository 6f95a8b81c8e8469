import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { requirePostgres } from '@coffer/cli/process/databases'
import { databaseUrlOf } from '@coffer/cli/settings/servers'
import { migrate, missingMigrations } from '@coffer/host/database/migrations'
import { createDatabase } from '@coffer/host/database/pool'
import { withCa } from '@coffer/host/database/tls'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { knownError } from '@coffer/kit/rpc/fault'
import { startProxy } from '@coffer/kit/testing/proxy'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { type Authority, type Certificates, createCertificates } from './certificates.ts'
import { startOwnPostgres } from './servers.ts'

const stack = new AsyncDisposableStack()
let files: Certificates
let authority: Authority
/** URL of a Postgres whose certificate is for `localhost` alone, without TLS parameters. */
let url: string

beforeAll(async () => {
  files = stack.use(createCertificates())
  authority = files.createAuthority('Coffer Test CA')
  const { certificate, key } = authority.issue('localhost')
  const settings = { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key }
  url = stack.use(await startOwnPostgres(settings)).url
}, 60_000)

afterAll(async () => {
  await stack.disposeAsync()
})

const isEncrypted = sql.unsafe`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
const options = { schema: 'public', poolSizeMax: 1, statementTimeoutMs: 500 }

/** Connects as the pool, as migrations and as `coffer` at its start do; returns each outcome. */
async function outcomes(at: string, databaseCa?: string): Promise<string[]> {
  const database = { name: 'one', schema: 'one', migrations: new URL('file:///') } as never
  const config = { databaseCa, databaseUrl: at, databaseUrls: {} }
  const tables = { service: 'one', url: withCa(at, databaseCa), schema: 'one', folders: [] }
  await using pool = await createDatabase({ ...options, url: tables.url })
  const attempts: Promise<unknown>[] = [
    pool.pool.oneFirst(isEncrypted).then((found) => (found ? 'TLS' : 'plain text')),
    missingMigrations(tables).then(() => 'connected'),
    requirePostgres([database], (name) => databaseUrlOf(name, config)).then(() => 'connected'),
  ]
  const found = await Promise.allSettled(attempts)
  return found.map((one) => (one.status === 'fulfilled' ? `${one.value}` : reasonOf(one.reason)))
}

/** Returns the message of an error, or of the cause that the pool wraps. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message
}

const accepted = ['TLS', 'connected', 'connected']
const refused = (text: string) => [1, 2, 3].map(() => expect.stringContaining(text))
const other = (mode: string) => `${url.replace('localhost', '127.0.0.1')}?sslmode=${mode}`

test('a CA makes every connection verify chain and name', async () => {
  expect(await outcomes(url, authority.file)).toEqual(accepted)
  expect(await outcomes(`${url}?sslmode=verify-full`, authority.file)).toEqual(accepted)
  expect(await outcomes(`${url}?sslrootcert=${authority.file}`)).toEqual(accepted)
})

test('a certificate for another name or of another CA is refused', async () => {
  const wrongName = refused("IP: 127.0.0.1 is not in the cert's list")
  for (const mode of ['verify-full', 'require']) {
    expect(await outcomes(other(mode), authority.file)).toEqual(wrongName)
  }
  expect(await outcomes(other('verify-ca'), authority.file)).toEqual(accepted)
  const wrongCa = files.createAuthority('Another CA')
  expect(await outcomes(url, wrongCa.file)).toEqual(
    refused('unable to verify the first certificate'),
  )
  for (const mode of ['verify-full', 'verify-ca', 'require']) {
    const unknown = refused('unable to verify the first certificate')
    expect(await outcomes(`${url}?sslmode=${mode}`)).toEqual(unknown)
  }
  expect(await outcomes(other('no-verify'))).toEqual(accepted)
})

test('a server without TLS gets no password', async () => {
  await using plain = await startProxy(requiredVariable('COFFER_TEST_DATABASE_URL'))
  const refusal = refused('The server does not support SSL connections')
  expect(await outcomes(plain.url, authority.file)).toEqual(refusal)
  for (const mode of ['verify-full', 'verify-ca', 'require', 'no-verify']) {
    expect(await outcomes(`${plain.url}?sslmode=${mode}`)).toEqual(refusal)
  }
})

test('new connections read renewed certificates, and open ones continue', async () => {
  const file = join(files.path, 'renewed-ca.pem')
  const renewed = files.createAuthority('Next CA')
  copyFileSync(renewed.file, file)
  await using pool = await createDatabase({ ...options, url: withCa(url, file) })
  await expect(pool.pool.oneFirst(isEncrypted)).rejects.toThrow()
  copyFileSync(authority.file, file)
  expect(await pool.pool.oneFirst(isEncrypted)).toBe(true)
  copyFileSync(renewed.file, file)
  expect(await pool.pool.oneFirst(isEncrypted)).toBe(true)
})

test('a server that falls silent is noticed through TLS', async () => {
  await using proxy = await startProxy(url)
  const at = withCa(proxy.url.replace('127.0.0.1', 'localhost'), authority.file)
  await using pool = await createDatabase({ ...options, statementTimeoutMs: 100, url: at })
  expect(await pool.pool.oneFirst(isEncrypted)).toBe(true)
  proxy.fallSilent()
  const migrating = migrate({ service: 'silent', url: at, schema: 'silent', folders: [] })
  const codeOf = (error: unknown) => Code[knownError(error).code]
  expect(await pool.pool.oneFirst(isEncrypted).catch(codeOf)).toBe('Unavailable')
  await expect(migrating).rejects.toThrow('timeout expired')
  proxy.mend()
  const isBack = () => pool.pool.oneFirst(isEncrypted).catch(() => false)
  expect(await eventually(isBack, Boolean)).toBe(true)
})
