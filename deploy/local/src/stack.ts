import type { Progress } from '../bootstrap/progress.mjs'
import { claimDataDirectory } from './data-directory.ts'
import { keepServer } from './kept-server.ts'
import { startNats } from './nats.ts'
import type { Ports } from './ports.ts'
import { startPostgres } from './postgres/postgres.ts'
import { requireDatabase } from './postgres/postgres-home.ts'
import { stopLeftovers } from './process-record.ts'
import type { Death, Server } from './server-process.ts'
import { startTemporal } from './temporal.ts'

/** Running Postgres, NATS and Temporal; disposing stops the servers that were started. */
export type Stack = AsyncDisposable & {
  databaseUrl: string
  /** URL of the database of `databaseUrl` over a Unix socket; null without a socket. */
  databaseSocketUrl: string | null
  natsUrl: string
  temporalAddress: string
  /** Process IDs of the servers as first started; null for servers that settings name. */
  pids: { postgres: number | null; nats: number | null; temporal: number | null }
  /** Resolves when a started server ends unexpectedly, and is not started again. */
  died: Promise<Death>
}

/**
 * Starts Postgres, NATS and Temporal on one data directory, each unless its setting
 * (`COFFER_DATABASE_URL`, `COFFER_NATS_URL`, `COFFER_TEMPORAL_ADDRESS`) names a running server.
 * First stops the servers of a killed run on this directory. Throws FatalError when the directory
 * cannot be written or is in use, its database is missing, a port is in use, or a server does not
 * start.
 */
export async function startStack(options: {
  dataDir: string
  ports: Ports
  log: Progress
  env: NodeJS.ProcessEnv
  /** Whether the data of earlier runs is deleted; false when left out. */
  fresh?: boolean
  /** Whether a server that ends by itself is restarted (`keepServer`); not with `fresh`. */
  isKept?: boolean
  /** Directory of Postgres; by default `postgres/` of the data directory. */
  postgresDir?: string | undefined
  /** Further Postgres settings, such as `{ fsync: 'off' }`. */
  postgresSettings?: Record<string, string>
  /** Interval of the fsyncs of NATS; the default `always` syncs before each acknowledgement. */
  natsSyncInterval?: string
  /**
   * Whether Temporal keeps its state only in memory, which takes less CPU time; false by default.
   */
  isTemporalInMemory?: boolean
}): Promise<Stack> {
  const { dataDir, ports, log, env, fresh = false, isKept = false } = options
  const {
    postgresDir: place,
    postgresSettings: settings = {},
    natsSyncInterval = 'always',
    isTemporalInMemory = false,
  } = options
  await using started = new AsyncDisposableStack()
  const claim = started.use(await claimDataDirectory(dataDir, { log }))
  if (!fresh && !env.COFFER_DATABASE_URL) requireDatabase(claim.path)
  await stopLeftovers({ dataDir: claim.path, log })
  const common = { dataDir: claim.path, log, env, fresh }
  const run = <Kind extends Server>(start: () => Promise<Kind>) =>
    isKept ? keepServer(start, { log }) : start()
  const starts = await Promise.allSettled([
    run(() => startPostgres({ ...common, port: ports.postgres, settings, place })),
    run(() => startNats({ ...common, port: ports.nats, syncInterval: natsSyncInterval })),
    run(() => startTemporal({ ...common, port: ports.temporal, isInMemory: isTemporalInMemory })),
  ])
  const processes = starts
    .filter((start) => start.status === 'fulfilled')
    .map((start) => start.value.process)
    .filter((process) => process !== null)
  started.defer(async () => {
    await Promise.all(processes.map((process) => process.stop()))
  })
  const [database, nats, temporal] = starts.map(requireStarted)
  const socketUrl = starts[0].status === 'fulfilled' ? starts[0].value.socketUrl : null
  const servers = started.move()
  return {
    databaseUrl: database?.url ?? '',
    databaseSocketUrl: socketUrl,
    natsUrl: nats?.url ?? '',
    temporalAddress: temporal?.url ?? '',
    pids: {
      postgres: database?.process?.pid ?? null,
      nats: nats?.process?.pid ?? null,
      temporal: temporal?.process?.pid ?? null,
    },
    died: Promise.race(processes.map((process) => process.died)),
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  }
}

/**
 * Starts only Postgres on a data directory, as `startStack` does, for a restore before the first
 * start. Disposing stops it. Throws FatalError when the directory is in use or cannot be written,
 * the port is in use, or Postgres does not start.
 */
export async function startDatabase(options: {
  dataDir: string
  port: number
  log: Progress
  env: NodeJS.ProcessEnv
}): Promise<AsyncDisposable & { url: string }> {
  await using started = new AsyncDisposableStack()
  const { path: dataDir } = started.use(await claimDataDirectory(options.dataDir, options))
  await stopLeftovers({ dataDir, log: options.log })
  const common = { ...options, dataDir, fresh: false, settings: {} }
  const { url, process } = await startPostgres(common)
  started.defer(async () => process?.stop())
  const servers = started.move()
  return { url, [Symbol.asyncDispose]: () => servers.disposeAsync() }
}

function requireStarted(start: PromiseSettledResult<Server>): Server {
  if (start.status === 'rejected') throw start.reason
  return start.value
}
