import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../../bootstrap/fatal-error.mjs'

/**
 * The superuser's password, in `postgres-password`, made up for a new cluster.
 *
 * @throws {FatalError} when the cluster is there but its password is not
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
