import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepRunning } from '@coffer/host/keep-running'
import { type Environment, readSettings } from '@coffer/host/settings'
import { bucketOf, settings as ledgerSettings } from '@coffer/ledger/config'
import { startBalancer } from '@coffer/local/balancer'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { node24, nodeOptions, root } from '@coffer/local/bootstrap/paths.mjs'
import type { Progress } from '@coffer/local/bootstrap/progress.mjs'
import { freePorts, requireFreePort } from '@coffer/local/ports'
import { startServerProcess, untilReady } from '@coffer/local/server-process'
import { greet } from '../demo/demo.ts'
import { reasonOf } from '../process/databases.ts'
import { settings, urlSettings } from '../settings/config.ts'
import { readConfig } from '../settings/environment.ts'
import { type PartName, serviceNames } from '../settings/service-names.ts'

export interface MeshOptions {
  /** Number of processes of the gateway and of each service. */
  replicas: number
  dataDir: string
  environment: Environment
  log: Progress
}

/** One process of the mesh. */
interface Replica {
  name: string
  part: PartName
  url: string
  rpcUrl: string
  /** Environment with the ports of the process. */
  ports: Environment
}

const startTimeoutMs = 120_000
const restartMs = 1_000
const pollMs = 50

/**
 * Runs processes for the gateway and each service, behind a load balancer on `COFFER_PORT`, until
 * `stopped` resolves. Restarts a process that ends. At the end the gateways drain, then the
 * services. Throws when the mesh cannot be started.
 */
export async function runMesh(stopped: Promise<unknown>, options: MeshOptions): Promise<void> {
  const stopping = new AbortController()
  // Disposed in reverse order, because the gateways call the services until they have drained.
  await using running = new AsyncDisposableStack()
  const starting = startAll(options, running, stopping.signal)
  await Promise.race([starting.then(() => stopped), stopped])
  stopping.abort()
  await starting.catch(() => undefined)
}

async function startAll(
  options: MeshOptions,
  running: AsyncDisposableStack,
  stopping: AbortSignal,
): Promise<void> {
  const { dataDir, log } = options
  const { host, port, externalUrl, demo } = readConfig(options.environment)
  await requireFreePort({ port, server: 'the REST API', setting: settings.port.env })
  // Services get the port of the load balancer as COFFER_PORT, because identity's mails link to it.
  const services = await planReplicas(serviceNames, options.replicas, port)
  const gateways = await planReplicas(['gateway'], options.replicas)
  const environment = { ...options.environment, ...urlsOf(services) }
  const mesh = { ...options, environment }
  await log.step('tables', 'updating the tables', () => migrate(mesh))
  if (options.replicas > 1 && bucketOf(readSettings(ledgerSettings, environment)) === null) {
    log.say('files', `the processes of ledger share the folder files/ of ${dataDir}; processes`)
    log.say('', 'on several machines need a bucket (COFFER_STORAGE=s3)')
  }
  const targets = gateways.map(({ url, rpcUrl }) => ({ url, probeUrl: `${rpcUrl}/readyz` }))
  const balancer = running.use(await startBalancer({ targets, host, port }))
  for (const replicas of [services, gateways]) {
    const together: AsyncDisposable[] = []
    running.defer(async () => {
      await Promise.all(together.map((one) => one[Symbol.asyncDispose]()))
    })
    for (const some of groupsOf(replicas, availableParallelism())) {
      if (stopping.aborted) return
      const starts = await Promise.allSettled(some.map((one) => runReplica(one, mesh)))
      for (const start of starts) if (start.status === 'fulfilled') together.push(start.value)
      const failed = starts.find((start) => start.status === 'rejected')
      if (failed) throw failed.reason
    }
  }
  while (balancer.inRotation().length === 0) await sleep(pollMs, undefined, { signal: stopping })
  log.say('balancer', `app at ${balancer.url}, over ${gateways.length} gateways`)
  const publicUrl = externalUrl || balancer.url
  if (demo) await greet({ baseUrl: balancer.url, publicUrl, dataDir })
}

/**
 * Plans `count` processes of each part with free ports. `publicPort` is the setting COFFER_PORT of
 * processes that do not serve the REST API themselves.
 */
async function planReplicas(
  parts: readonly PartName[],
  count: number,
  publicPort?: number,
): Promise<Replica[]> {
  const replicas: Replica[] = []
  for (const part of parts) {
    for (let number = 1; number <= count; number += 1) {
      const [ownPort, rpcPort, grpcPort, metricsPort] = await freePorts(4)
      const port = publicPort ?? ownPort
      replicas.push({
        name: `${part}-${number}`,
        part,
        url: `http://127.0.0.1:${port}`,
        rpcUrl: `http://127.0.0.1:${rpcPort}`,
        ports: {
          [settings.port.env]: String(port),
          [settings.rpcPort.env]: String(rpcPort),
          [settings.grpcPort.env]: String(grpcPort),
          // A free port for each process, because several cannot listen on the configured one.
          [settings.metricsPort.env]: String(metricsPort),
        },
      })
    }
  }
  return replicas
}

/** Returns the environment variables with the URLs of each service's replicas. */
function urlsOf(services: Replica[]): Environment {
  const entries = serviceNames.map((name) => {
    const replicas = services.filter(({ part }) => part === name)
    return [urlSettings[name].env, replicas.map(({ rpcUrl }) => rpcUrl).join(',')]
  })
  return Object.fromEntries(entries)
}

/**
 * Returns groups of processes to start together, since each start uses a CPU core for some seconds.
 */
function groupsOf(replicas: Replica[], size: number): Replica[][] {
  const count = Math.ceil(replicas.length / size)
  return Array.from({ length: count }, (_, index) =>
    replicas.slice(index * size, (index + 1) * size),
  )
}

/** Runs a process until disposed. Rejects when its first start fails. */
async function runReplica(replica: Replica, options: MeshOptions): Promise<AsyncDisposable> {
  const { name, part, ports, rpcUrl } = replica
  const { log } = options
  const faults: unknown[] = []
  const running = await keepRunning({
    create: async () => {
      const server = startServerProcess(commandOf(options, name, ['serve', part], ports))
      const probe = () => requireReady(rpcUrl)
      await untilReady({ name, server, timeoutMs: startTimeoutMs, probe })
      const stopped = Promise.withResolvers<void>()
      return {
        run: () => Promise.race([stopped.promise, server.running]),
        stop: () => void server.stop().then(stopped.resolve, stopped.reject),
      }
    },
    restartMs,
    onFailure: (error) => {
      faults.push(error)
      log.say(name, `${reasonOf(error)} Starting another.`)
    },
    onRecovery: () => log.say(name, 'runs again'),
  })
  if (faults.length === 0) return running
  await running[Symbol.asyncDispose]()
  throw faults[0]
}

/** Updates the tables in a child process, because this process loads no service. */
async function migrate(options: MeshOptions): Promise<void> {
  const { died } = startServerProcess(commandOf(options, 'migrate', ['migrate']))
  const { code, error } = await died
  if (code !== 0) throw error
}

/** Returns the command of a process; each line of its output is prefixed with its name. */
function commandOf(
  { dataDir, environment }: Pick<MeshOptions, 'dataDir' | 'environment'>,
  name: string,
  words: string[],
  ports: Environment = {},
) {
  return {
    name,
    dataDir,
    command: node24,
    args: [...nodeOptions, join(root, 'deploy/cli/src/coffer.ts'), ...words],
    cwd: root,
    env: { ...environment, ...ports },
    stopSignal: 'SIGTERM' as const,
    output: 'prefixed' as const,
  }
}

async function requireReady(rpcUrl: string): Promise<void> {
  const { ok } = await fetch(`${rpcUrl}/readyz`)
  if (!ok) throw new FatalError('not ready')
}
