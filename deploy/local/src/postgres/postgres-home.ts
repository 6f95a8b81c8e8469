import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../../bootstrap/fatal-error.mjs'
import type { Progress } from '../../bootstrap/progress.mjs'
import type { SystemUser } from './postgres-user.ts'

/** The directory `postgres/` of the data directory; its subdirectory `data` is the cluster. */
export type PostgresHome = {
  /** Path with all symbolic links resolved. */
  path: string
  /** Whether the server's user cannot enter a parent directory, such as root's home. */
  isClosed: boolean
}

/** Mode bits that Postgres refuses on a cluster: write for the group, and any for others. */
const refusedModes = 0o027

/**
 * Creates `postgres/` and makes the server's user its owner: if root has copied the data directory,
 * root owns the copy. Throws FatalError when `postgres/` is a broken link, or the owner cannot be
 * changed.
 */
export function postgresHome(options: {
  dataDir: string
  /** Another directory than `postgres/`. */
  place?: string | undefined
  user: SystemUser | undefined
  log: Progress
}): PostgresHome {
  const { dataDir, place = join(dataDir, 'postgres'), user, log } = options
  const isLink = isLinkAt(place)
  if (isLink && !existsSync(place)) {
    throw new FatalError(
      `The database is missing: ${place} is a link to ${readlinkSync(place)}, which does not ` +
        'exist. Copy that directory from the machine where this one was copied, ' +
        `or remove ${dataDir} to start without data.`,
    )
  }
  mkdirSync(place, { mode: 0o700, recursive: true })
  const path = realpathSync(place)
  if (isLink) {
    log.say(
      'postgres',
      `the database is in ${path}, so copies of ${dataDir} lack it. ` +
        `To move it there: stop Coffer, remove the link ${place}, and rename ${path} to ${place}`,
    )
  }
  if (user !== undefined) {
    giveTo(user, path)
  }
  const cluster = join(path, 'data')
  if (existsSync(cluster) && (statSync(cluster).mode & refusedModes) !== 0) {
    chmodSync(cluster, 0o700)
  }
  return { path, isClosed: user !== undefined && !canEnter(path, user) }
}

/**
 * Throws FatalError for a data directory that has lost its database; a start would create an empty
 * one. Two signs show a loss: a password without `postgres/`, because a first start creates
 * `postgres/` first; and stored files, which require a database. Keys are not a sign:
 * `coffer keys:create` may run before the first start.
 */
export function requireDatabase(dataDir: string): void {
  const place = join(dataDir, 'postgres')
  if (isLinkAt(place) || clusterVersion(join(place, 'data')) !== null) return
  const hadCluster = !existsSync(place) && existsSync(passwordPath(dataDir))
  if (hadCluster || existsSync(join(dataDir, 'files'))) {
    throw new FatalError(
      `The database is missing: ${join(place, 'data')} is not there, other data of Coffer is. ` +
        `Restore ${place} from where ${dataDir} was copied, remove ${dataDir} to start without ` +
        'data, or set COFFER_DATABASE_URL if the database is on another server.',
    )
  }
}

/**
 * Returns the superuser's password from `postgres-password`; generates it for a new cluster. Throws
 * FatalError when an existing cluster has no password file.
 */
export function postgresPassword(cluster: { dataDir: string; isNew: boolean }): string {
  const path = passwordPath(cluster.dataDir)
  if (existsSync(path)) return readFileSync(path, 'utf8')
  if (!cluster.isNew) {
    throw new FatalError(`${path} is missing: restore it, or remove the data directory.`)
  }
  const password = randomBytes(18).toString('base64url')
  writeFileSync(path, password, { mode: 0o600 })
  return password
}

function passwordPath(dataDir: string): string {
  return join(dataDir, 'postgres-password')
}

/** Removes the cluster in `postgres/` or `place`, and the link that earlier versions created. */
export function removePostgresHome(dataDir: string, place = join(dataDir, 'postgres')): void {
  if (existsSync(place)) {
    rmSync(realpathSync(place), { recursive: true })
  }
  rmSync(place, { force: true })
}

/** Returns the major version of the cluster; null when there is no cluster. */
export function clusterVersion(cluster: string): number | null {
  const path = join(cluster, 'PG_VERSION')
  return existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : null
}

function isLinkAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** Changes the owner of a directory and its content if necessary; does not follow links. */
function giveTo({ uid, gid }: SystemUser, directory: string): void {
  const all = [directory, join(directory, 'data')]
  if (all.every((path) => !existsSync(path) || statSync(path).uid === uid)) return
  const { status, stderr } = spawnSync('chown', ['-Rh', `${uid}:${gid}`, directory], {
    encoding: 'utf8',
  })
  if (status !== 0) {
    throw new FatalError(`Cannot make Postgres' user the owner of ${directory}: ${stderr.trim()}`)
  }
}

function canEnter(directory: string, user: SystemUser): boolean {
  const probe = spawnSync('/bin/sh', ['-c', 'test -w "$0" && test -x "$0"', directory], {
    cwd: '/',
    ...user,
  })
  return probe.status === 0
}
