import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../../bootstrap/fatal-error.mjs'

/**
 * Returns the superuser's password from `postgres-password`; generates it for a new cluster.
 *
 * @throws {FatalError} when an existing cluster has no password file
 */
export function postgresPassword(cluster: { dataDir: string; isNew: boolean }): string {
  const path = passwordPath(cluster.dataDir)
  if (existsSync(path)) {
    return readFileSync(path, 'utf8')
  }
  if (!cluster.isNew) {
    throw new FatalError(`${path} is missing: restore it, or remove the data directory.`)
  }
  const password = randomBytes(18).toString('base64url')
  writeFileSync(path, password, { mode: 0o600 })
  return password
}

/** The file that holds the superuser's password. */
export function passwordPath(dataDir: string): string {
  return join(dataDir, 'postgres-password')
}
