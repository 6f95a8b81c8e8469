import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { platform } from '../bootstrap/paths.mjs'
import { resolvePostgres } from '../src/postgres/postgres-binaries.ts'
import { serverUser } from '../src/postgres/postgres-user.ts'
import { scratchDirectory, writeScript } from './scratch.ts'

/** Writes an `initdb`, and a `postgres` that prints this version, into a directory. */
function installed(directory: string, version: string): string {
  mkdirSync(directory, { recursive: true })
  writeScript(join(directory, 'postgres'), `echo "postgres (PostgreSQL) ${version}"`)
  writeScript(join(directory, 'initdb'), '')
  return realpathSync(directory)
}

const user = serverUser()

test('Postgres 16 or newer on PATH is used', () => {
  using scratch = scratchDirectory()
  const bin = installed(join(scratch.path, 'bin'), '16.4')
  const env = { PATH: bin, XDG_CACHE_HOME: scratch.path }
  const found = resolvePostgres({ env, user, major: null })
  expect(found).toMatchObject({ postgres: join(bin, 'postgres'), major: 16 })
})

test('an older Postgres on PATH is skipped for a newer one behind it', () => {
  using scratch = scratchDirectory()
  const old = installed(join(scratch.path, 'old'), '15.18 (Debian 15.18-0+deb12u1)')
  const newer = installed(join(scratch.path, 'newer'), '17.2')
  const env = { PATH: `${old}:${newer}`, XDG_CACHE_HOME: scratch.path }
  expect(resolvePostgres({ env, user, major: null }).postgres).toBe(join(newer, 'postgres'))
})

test('a Postgres in the cache is preferred to the embedded one', () => {
  using scratch = scratchDirectory()
  const name = `postgres-18.4.0-beta.17-${platform}`
  const bin = installed(join(scratch.path, 'coffer', name, 'bin'), '18.4')
  const env = { PATH: '', XDG_CACHE_HOME: scratch.path }
  expect(resolvePostgres({ env, user, major: null }).postgres).toBe(join(bin, 'postgres'))
})

test('an existing cluster gets its own major version', () => {
  using scratch = scratchDirectory()
  const bin = installed(join(scratch.path, 'bin'), '17.2')
  const env = { PATH: bin, XDG_CACHE_HOME: scratch.path }
  expect(resolvePostgres({ env, user, major: 17 }).major).toBe(17)
  const embedded = resolvePostgres({ env, user, major: 18 })
  expect(embedded.major).toBe(18)
  expect(embedded.source).toContain('embedded')
  expect(() => resolvePostgres({ env, user, major: 12 })).toThrow(/^No Postgres 12: /)
})

test('a Postgres that its user cannot run is skipped', () => {
  using scratch = scratchDirectory()
  const bin = installed(join(scratch.path, 'closed/bin'), '17.2')
  const closed = join(scratch.path, 'closed')
  mkdirSync(join(scratch.path, 'empty'))
  if (user === undefined) {
    writeScript(join(bin, 'postgres'), 'exit 126')
  } else {
    denyOthers(closed)
  }
  const env = { PATH: bin, XDG_CACHE_HOME: scratch.path }
  expect(resolvePostgres({ env, user, major: null }).source).toContain('embedded')
})

/** Makes a directory inaccessible to other users, like root's home. */
function denyOthers(directory: string): void {
  chmodSync(directory, 0o700)
}
