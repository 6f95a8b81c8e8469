import { spawnSync } from 'node:child_process'
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
} from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../../bootstrap/fatal-error.mjs'
import type { Progress } from '../../bootstrap/progress.mjs'
import { passwordPath } from './postgres-password.ts'
import type { SystemUser } from './postgres-user.ts'

/** `postgres/` in the data directory, which holds the cluster in `data`. */
export type PostgresHome = {
  /** Its real path. */
  path: string
  /** Whether the server's user cannot get there, because a parent is closed (root's home). */
  isClosed: boolean
}

/** Bits of a mode that Postgres does not accept on a cluster: writing for the group, others. */
const refusedModes = 0o027

/**
 * Makes `postgres/` and gives it to the server's user: a copy that root has made is root's.
 *
 * @throws {FatalError} when it is a link to nowhere, or cannot be given away
 */
export function postgresHome(options: {
  dataDir: string
  user: SystemUser | undefined
  log: Progress
}): PostgresHome {
  const { dataDir, user, log } = options
  const place = join(dataDir, 'postgres')
  const isLink = isLinkAt(place)
  if (isLink && !existsSync(place)) {
    throw new FatalError(
      `The database is missing: ${place} leads to ${readlinkSync(place)}. ` +
        'Move that directory here from where this one was copied, ' +
        `or remove ${dataDir} to start afresh.`,
    )
  }
  mkdirSync(place, { mode: 0o700, recursive: true })
  const path = realpathSync(place)
  if (isLink) {
    log.say(
      'postgres',
      `the database is in ${path}: no copy of ${dataDir} has it. ` +
        `To have it there, stop Coffer, remove the link ${place}, and move ${path} in its place`,
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
 * Refuses a data directory that has lost its database, before a new empty one takes its place.
 * A first start makes `postgres/` before the password, so an interrupted one is no loss. Files are
 * stored only by a server that has its database. Keys prove nothing: `coffer keys:create` makes
 * them before the first start.
 *
 * @throws {FatalError} when the database is missing: one line that says where it was
 */
export function requireDatabase(dataDir: string): void {
  const place = join(dataDir, 'postgres')
  if (isLinkAt(place) || clusterVersion(join(place, 'data')) !== null) return
  const hadCluster = !existsSync(place) && existsSync(passwordPath(dataDir))
  if (hadCluster || existsSync(join(dataDir, 'files'))) {
    throw new FatalError(
      `The database is missing: ${join(place, 'data')} is not there, other data of Coffer is. ` +
        `Restore ${place} from where ${dataDir} was copied, remove ${dataDir} to start afresh, ` +
        'or set COFFER_DATABASE_URL if the database is on another server.',
    )
  }
}

/** Removes the cluster and the link to it, if it is one; for runs that keep nothing. */
export function removePostgresHome(dataDir: string): void {
  const place = join(dataDir, 'postgres')
  if (existsSync(place)) {
    rmSync(realpathSync(place), { recursive: true })
  }
  rmSync(place, { force: true })
}

/** The major version that made the cluster; null when there is none. */
export function clusterVersion(cluster: string): number | null {
  const path = join(cluster, 'PG_VERSION')
  return existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : null
}

function isLinkAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** Changes the owner of all below the directory, where it is another; links are not followed. */
function giveTo({ uid, gid }: SystemUser, directory: string): void {
  const all = [directory, join(directory, 'data')]
  if (all.every((path) => !existsSync(path) || statSync(path).uid === uid)) {
    return
  }
  const { status, stderr } = spawnSync('chown', ['-Rh', `${uid}:${gid}`, directory], {
    encoding: 'utf8',
  })
  if (status !== 0) {
    throw new FatalError(`Postgres' user cannot be given ${directory}: ${stderr.trim()}`)
  }
}

function canEnter(directory: string, user: SystemUser): boolean {
  const probe = spawnSync('/bin/sh', ['-c', 'test -w "$0" && test -x "$0"', directory], {
    cwd: '/',
    ...user,
  })
  return probe.status === 0
}
