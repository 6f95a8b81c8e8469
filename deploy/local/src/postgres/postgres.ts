import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import pg from 'pg'
import { FatalError } from '../../bootstrap/fatal-error.mjs'
import { run } from '../../bootstrap/run.mjs'
import { requireFreePort } from '../ports.ts'
import {
  type Server,
  type ServerOptions,
  startServerProcess,
  untilReady,
} from '../server-process.ts'
import { type PostgresBinaries, resolvePostgres } from './postgres-binaries.ts'
import {
  clusterVersion,
  type PostgresHome,
  postgresHome,
  postgresPassword,
} from './postgres-home.ts'
import { type SystemUser, serverUser } from './postgres-user.ts'
import { stopPostmaster } from './postmaster.ts'

const superuser = 'coffer'
const database = 'coffer'
const startTimeoutMs = 60_000
const connectTimeoutMs = 5_000
// Length of sun_path on macOS, the shortest of the supported systems, without the final zero byte.
const socketPathBytesMax = 103
/**
 * Path of the cluster for a server with the cluster as its working directory. Linux resolves this
 * path without permission on parent directories, so the cluster can be in root's home.
 */
const workingDirectory = '/proc/self/cwd'

/**
 * Starts PostgreSQL on `postgres/`, unless `COFFER_DATABASE_URL` names a running server; the first
 * start creates the cluster. The server listens on 127.0.0.1, and on a Unix socket if possible.
 * Throws FatalError when no binary is found, the port is in use, the cluster cannot be created or
 * entered, or the server does not answer within 60 s.
 */
export async function startPostgres(
  options: ServerOptions & { settings: Record<string, string>; place?: string | undefined },
): Promise<Server & { socketUrl: string | null }> {
  const { dataDir, port, log, env, fresh, settings, place } = options
  if (env.COFFER_DATABASE_URL) {
    return { url: env.COFFER_DATABASE_URL, socketUrl: null, process: null }
  }
  const user = serverUser()
  const home = postgresHome({ dataDir, place, user, log })
  requireReachable(home)
  const cluster = join(home.path, 'data')
  await stopPostmaster({ cluster, log })
  await requireFreePort({ port, server: 'Postgres', setting: 'COFFER_POSTGRES_PORT' })
  if (fresh) {
    rmSync(cluster, { recursive: true, force: true })
  }
  const version = clusterVersion(cluster)
  const isNew = version === null
  const binaries = resolvePostgres({ env, user, major: version })
  const password = postgresPassword({ dataDir, isNew })
  if (isNew) {
    await log.step('postgres', `creating the database (${binaries.source})`, () =>
      createCluster({ home, cluster, binaries, password, user }),
    )
  }
  const directory = socketDirectory(cluster, port)
  if (directory !== null) {
    removeSocket(directory, port)
  }
  const named = home.isClosed ? workingDirectory : cluster
  const allSettings = {
    port: String(port),
    unix_socket_directories: directory === null ? '' : named,
    ...settings,
  }
  const server = startServerProcess({
    name: 'postgres',
    dataDir,
    command: binaries.postgres,
    args: ['-D', named, ...settingArguments(allSettings)],
    cwd: cluster,
    user,
    // Fast shutdown: open transactions are rolled back.
    stopSignal: 'SIGINT',
  })
  const urlOf = (name: string) =>
    `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`
  await untilReady({
    name: 'postgres',
    server,
    timeoutMs: startTimeoutMs,
    probe: () => ensureDatabase({ url: urlOf('postgres'), name: database }),
  })
  const url = urlOf(database)
  return { url, socketUrl: directory && overSocket(url, directory), process: server }
}

/** Throws FatalError when the server's user can enter the cluster neither by its path nor /proc. */
function requireReachable({ path, isClosed }: PostgresHome): void {
  if (isClosed && !existsSync(workingDirectory)) {
    throw new FatalError(
      `Postgres does not run as root, and no other user can enter ${path}. ` +
        'Run Coffer as another user, or set COFFER_DATA_DIR to a directory all users can enter.',
    )
  }
}

function settingArguments(settings: Record<string, string>): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Creates the cluster in `data.new` and renames it, so a killed run leaves no partial cluster. */
async function createCluster(options: {
  home: PostgresHome
  cluster: string
  binaries: PostgresBinaries
  password: string
  user: SystemUser | undefined
}): Promise<void> {
  const { home, cluster, binaries, password, user } = options
  const unfinished = join(home.path, 'data.new')
  const passwordFile = join(home.path, 'password')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) {
    chownSync(unfinished, user.uid, user.gid)
    chownSync(passwordFile, user.uid, user.gid)
  }
  const locale =
    binaries.major >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C']
  try {
    await run(
      binaries.initdb,
      [
        '-D',
        home.isClosed ? workingDirectory : unfinished,
        '-U',
        superuser,
        '--pwfile',
        relative(unfinished, passwordFile),
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        ...locale,
      ],
      { cwd: unfinished, env: process.env, ...user },
    )
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error instanceof FatalError ? initdbFault(error, home.path) : error
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, cluster)
}

/**
 * Returns an error with only the reason in the output of `initdb`, such as a full disk; the same
 * error if the output has none. `place` is the directory of the new cluster.
 */
export function initdbFault(error: FatalError, place: string): FatalError {
  const reason = /\b(?:FATAL|PANIC|error): +(.+)/.exec(error.message)?.[1]
  if (reason === undefined) return error
  return new FatalError(`The database could not be created in ${place}: ${reason}`)
}

/** Creates the database if it is missing. Rejects while the server accepts no connections. */
async function ensureDatabase({ url, name }: { url: string; name: string }): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      await client.query(`create database ${client.escapeIdentifier(name)}`)
    }
  } finally {
    await client.end()
  }
}

/**
 * Returns the directory of a Unix socket for Postgres, which is faster than its TCP port. Null on
 * Windows, and if the path is too long or needs quoting.
 */
export function socketDirectory(home: string, port: number): string | null {
  const fits = Buffer.byteLength(join(home, socketName(port))) <= socketPathBytesMax
  return process.platform !== 'win32' && fits && /^[\w./-]+$/.test(home) ? home : null
}

/** Returns the URL with the directory of the Unix socket in place of the host 127.0.0.1. */
export function overSocket(url: string, directory: string): string {
  const { port } = new URL(url)
  return url.replace(`@127.0.0.1:${port}/`, `@${encodeURIComponent(directory)}:${port}/`)
}

/**
 * Removes the socket of a killed server and its lock file. If another process has got the ID in the
 * lock file, Postgres would not start.
 */
function removeSocket(directory: string, port: number): void {
  const path = join(directory, socketName(port))
  rmSync(path, { force: true })
  rmSync(`${path}.lock`, { force: true })
}

function socketName(port: number): string {
  return `.s.PGSQL.${port}`
}
