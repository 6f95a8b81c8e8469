import { setTimeout as sleep } from 'node:timers/promises'
import { settings as gatewaySettings } from '@coffer/gateway/config'
import type { Gateway } from '@coffer/gateway/main'
import { type LostCommitsWatch, watchLostCommits } from '@coffer/host/database/lost-commits'
import { aliveSubjectOf } from '@coffer/host/events/subjects'
import { type Host, hostServices } from '@coffer/host/host'
import { setPart, watchAway } from '@coffer/host/metrics'
import { type Dependency, type Readiness, watchReadiness } from '@coffer/host/readiness'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { serve } from '@coffer/host/serve'
import { readSettings } from '@coffer/host/settings'
import { watchPool } from '@coffer/host/vitals'
import type { Temporal } from '@coffer/host/workflows/temporal'
import type { Broker } from '@coffer/kit/events/broker'
import type { Log } from '@coffer/kit/service/log'
import { toLocal } from '@coffer/kit/values/time'
import { requireFreePort } from '@coffer/local/ports'
import type { Config } from '../settings/environment.ts'
import { openMeshTls } from '../settings/serve-settings.ts'
import { databaseUrlOf } from '../settings/servers.ts'
import { calls, type PartName } from '../settings/service-names.ts'
import { version } from '../settings/version.ts'
import { connectNats, createWorkflows } from './broker.ts'
import { type Parts, partNames } from './parts.ts'
import { startTelemetry } from './telemetry.ts'

/** The services and gateway of a process. Disposing drains them after the lame-duck time. */
export type RunningProcess = AsyncDisposable & {
  /** Address of the REST API; null without the gateway. */
  baseUrl: string | null
  rpcUrl: string
  /** Resolves when consumers, workers and schedules have been started. */
  started: Promise<void>
}

type Options = { parts: Parts; config: Config; log: Log }
type Shared = Options & { broker: Broker; host: Host; draining: AbortSignal }

/** In tests, the difference in ms between this process's clock and the real time. */
const testClockMs = Number(process.env.COFFER_TEST_CLOCK_MS ?? 0)
const clock = () => new Date(Date.now() + testClockMs)

/**
 * Starts the chosen parts. Ports open when the services can answer; consumers and workers start
 * after that. Throws SettingsError when two settings name the same port or a required setting is
 * missing, FatalError when a port is in use.
 */
export async function startProcess({ parts, config, log }: Options): Promise<RunningProcess> {
  await requirePorts(parts, config)
  for (const part of partNames(parts)) setPart(1, part, version)
  // Loads the runtime's timezone data, which takes 20 ms at first use.
  toLocal(0, 'America/New_York')
  await using opening = new AsyncDisposableStack()
  opening.use(await startTelemetry(partNames(parts), config, log))
  const tls = opening.use(openMeshTls(config, log))
  const hasServices = parts.definitions.length > 0
  const broker = opening.use(await connectNats(config, log, userOf(parts)))
  const workflows = opening.use(createWorkflows(config, { hasServices, log }))
  const host = opening.use(
    await hostServices({
      definitions: parts.definitions,
      urls: config.urls,
      tls,
      databaseUrl: (name) => databaseUrlOf(name, config),
      poolSizeMax: config.poolSize,
      pooler: config.databasePooler,
      statementTimeoutMs: config.statementTimeoutMs,
      connectionWaitMs: config.connectionWaitMs,
      keysFolder: config.keysDir,
      environment: { ...config.environment, COFFER_DATA_DIR: config.dataDir },
      broker,
      workflows,
      log,
      clock,
    }),
  )
  const databases = opening.use(watchDatabases({ host, config, log }))
  const draining = new AbortController()
  const temporal = hasServices ? workflows : null
  opening.use(watchServers(broker, temporal))
  const shared = { config, log, broker, host, draining: draining.signal }
  const readiness = opening.use(watchProcess({ parts, ...shared }))
  let gateway: Gateway | null = null
  const listAway = () => [...readiness.away(), ...databases.notices()]
  const servers = opening.use(
    await serve({
      ...addressesOf(config),
      tls,
      log,
      routes: host.routes,
      blockers: async () => [
        ...(parts.hasGateway && !gateway?.isListening() ? ['the REST API is not open'] : []),
        ...(await readiness.blockers()),
      ],
      notices: () => [...listAway(), ...listWaiting(broker, temporal)],
      isDatabaseAway: readiness.isDatabaseAway,
      faults: host.vitals.faults,
      draining: draining.signal,
    }),
  )
  if (parts.hasGateway) gateway = opening.use(await loadGateway({ ...shared, readiness }))
  const started = host.startBackground()
  const open = opening.move()
  return {
    started,
    baseUrl: gateway === null ? null : `http://${reachableHost(config.host)}:${gateway.port}`,
    rpcUrl: `${tls ? 'https' : 'http'}://${reachableHost(config.host)}:${servers.rpcPort}`,
    [Symbol.asyncDispose]: async () => {
      draining.abort()
      // Lame duck: load balancers detect that the process is not ready, and send no more requests.
      await sleep(1_000 * config.lameDuckSeconds)
      await open.disposeAsync()
    },
  }
}

function addressesOf({ host, rpcPort, grpcPort, metricsPort }: Config) {
  return { host, rpcPort, grpcPort, metricsPort: metricsPort ?? null }
}

const natsAway = 'NATS does not answer'

/** Returns the work that is delayed by an outage of NATS or Temporal; requests are still served. */
function listWaiting(broker: Broker, workflows: Temporal | null): string[] {
  return [
    ...(broker.isConnected() ? [] : [`${broker.refusal() ?? natsAway}: events wait in the outbox`]),
    ...(workflows?.isAway() ? ['Temporal does not answer: imports, clean-ups and jobs wait'] : []),
  ]
}

/**
 * Returns the user with which a process with one part connects to NATS. A process with several
 * parts connects as the user `operator`, which may do what any part may.
 */
function userOf(parts: Parts): { user?: PartName; hasStream: boolean } {
  const [user, ...others] = partNames(parts)
  const hasStream = parts.definitions.length > 0
  return user && others.length === 0 ? { user, hasStream } : { hasStream }
}

/**
 * Monitors the connection pools of the hosted services, and whether their databases have lost
 * commits, for example by a fail-over.
 */
function watchDatabases({
  host,
  config,
  log,
}: Pick<Shared, 'host' | 'config' | 'log'>): AsyncDisposable & { notices: () => string[] } {
  const stack = new AsyncDisposableStack()
  const watches: LostCommitsWatch[] = []
  for (const [name, database] of Object.entries(host.databases)) {
    const pool = { database, url: databaseUrlOf(name, config) }
    stack.use(watchPool(pool, host.vitals.watch(`the pool of ${name}`)))
    const logged = log.child({ service: name })
    watches.push(stack.use(watchLostCommits({ service: name, database, log: logged })))
  }
  return {
    notices: () => watches.flatMap((watch) => watch.notice() ?? []),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Exports metrics of outages of NATS and, if services run here, of Temporal. */
function watchServers(broker: Broker, workflows: Temporal | null): Disposable {
  const stack = new DisposableStack()
  const isNatsAway = () => !broker.isConnected() || broker.refusal() !== null
  stack.use(watchAway(() => Number(isNatsAway()), 'nats', ''))
  if (workflows) stack.use(watchAway(() => Number(workflows.isAway()), 'temporal', ''))
  return stack
}

/**
 * Monitors the readiness of this process. Replicas send each other heartbeats: processes with the
 * same first part, the gateway before services, are replicas of each other.
 */
function watchProcess({ parts, config, log, broker, host, draining }: Shared): Readiness {
  const { mesh, databases, isStarting } = host
  const [first] = parts.definitions
  const part = parts.hasGateway || !first ? 'gateway' : first.name
  const answers = [mesh, ...Object.values(databases)]
  return watchReadiness(listDependencies(parts, host, config.keysDir), {
    mesh,
    log,
    clock,
    isStarting,
    draining,
    broker,
    subject: aliveSubjectOf(config.prefix, part),
    answeredAt: () => Math.max(...answers.map(({ answeredAt }) => answeredAt())),
  })
}

/** Starts the REST API. Dynamic import: processes without a gateway do not load its code. */
async function loadGateway({
  config,
  log,
  broker,
  host,
  readiness,
  draining,
}: Omit<Shared, 'parts'> & { readiness: Readiness }): Promise<Gateway> {
  const { startGateway } = await import('@coffer/gateway/main')
  return startGateway({
    config: readSettings(gatewaySettings, config.environment),
    mesh: host.mesh,
    signer: loadSigner(config.keysDir, 'gateway'),
    broker,
    isHealthy: readiness.isHealthy,
    draining,
    clock,
    log: log.child({ service: 'gateway' }),
    host: config.host,
    port: config.port,
  })
}

/** Services that must accept the caller token of a new process before it is ready, by its part. */
const essential: Partial<Record<PartName, readonly string[]>> = { gateway: ['identity', 'ledger'] }

/** Lists the services that this process hosts, and the remote services that its parts call. */
function listDependencies(parts: Parts, host: Host, keysDir: string): Dependency[] {
  const hosted = Object.keys(host.databases) as PartName[]
  const found = new Map<string, Dependency>()
  for (const name of hosted) {
    const signer = loadSigner(keysDir, name)
    found.set(name, { name, isEssential: true, isHosted: true, signer })
  }
  for (const part of partNames(parts)) {
    const signer = loadSigner(keysDir, part)
    for (const name of calls[part].filter((one) => !found.has(one))) {
      const isEssential = essential[part]?.includes(name) ?? false
      found.set(name, { name, isEssential, isHosted: false, signer })
    }
  }
  return [...found.values()]
}

/** Throws FatalError when a port is in use. */
async function requirePorts({ hasGateway }: Parts, config: Config): Promise<void> {
  if (hasGateway) {
    await requireFreePort({ port: config.port, server: 'the REST API', setting: 'COFFER_PORT' })
  }
  const { rpcPort, grpcPort, metricsPort } = config
  await requireFreePort({ port: rpcPort, server: 'calls', setting: 'COFFER_RPC_PORT' })
  await requireFreePort({ port: grpcPort, server: 'gRPC', setting: 'COFFER_GRPC_PORT' })
  if (metricsPort === undefined) return
  await requireFreePort({ port: metricsPort, server: 'metrics', setting: 'COFFER_METRICS_PORT' })
}

/** Replaces a wildcard address by the loopback address. */
function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}
