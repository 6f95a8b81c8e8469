import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Progress } from '../bootstrap/progress.mjs'
import type { SystemUser } from './postgres-user.ts'

/** Where things go that another user must reach although the checkout is private to root. */
export const sharedDirectory = '/var/lib/coffer'

/**
 * The real path of `postgres/` in the data directory, which holds the cluster. When the server's
 * user cannot get there, because a parent is closed to it (root's home), `postgres` is a link to
 * a directory below `/var/lib/coffer`.
 */
export function postgresHome(options: {
  dataDir: string
  user: SystemUser | undefined
  log: Progress
}): string {
  const { dataDir, user, log } = options
  const place = join(dataDir, 'postgres')
  if (!existsSync(place)) {
    mkdirSync(place, { mode: 0o700 })
    if (user !== undefined) {
      chownSync(place, user.uid, user.gid)
    }
  }
  const home = realpathSync(place)
  if (user === undefined || canEnter(home, user)) {
    return home
  }
  rmdirSync(place)
  mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 })
  const elsewhere = mkdtempSync(join(sharedDirectory, 'postgres-'))
  chownSync(elsewhere, user.uid, user.gid)
  symlinkSync(elsewhere, place)
  log.say('postgres', `its user cannot enter ${dataDir}: the cluster is in ${elsewhere}`)
  return elsewhere
}

/** Removes the cluster and the link to it; for runs that keep nothing. */
export function removePostgresHome(dataDir: string): void {
  const place = join(dataDir, 'postgres')
  if (existsSync(place)) {
    rmSync(realpathSync(place), { recursive: true })
    rmSync(place, { force: true })
  }
}

/** The major version that made the cluster; null when there is none. */
export function clusterVersion(cluster: string): number | null {
  const path = join(cluster, 'PG_VERSION')
  return existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : null
}

function canEnter(directory: string, user: SystemUser): boolean {
  const probe = spawnSync('/bin/sh', ['-c', 'test -w "$0" && test -x "$0"', directory], {
    cwd: '/',
    ...user,
  })
  return probe.status === 0
}
