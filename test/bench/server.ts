import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { nodeEnvironment, nodeOptions, root } from '@coffer/local/bootstrap/paths.mjs'
import type { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { testEnvironment } from '@coffer/local/bootstrap/test-environment.mjs'
import { freePorts } from '@coffer/local/ports'
import { aborted } from '@coffer/local/script'
import { type ServerProcess, startServerProcess } from '@coffer/local/server-process'
import { type Stack, startStack } from '@coffer/local/stack'

const startTimeoutMs = 60_000
const pollMs = 100

/** The measured Coffer process, which runs all services, and its Postgres, NATS and Temporal. */
export interface Measured extends AsyncDisposable {
  baseUrl: string
  stack: Stack
  coffer: ServerProcess
}

/**
 * Starts a Coffer process with empty Postgres, NATS and Temporal servers on free ports, and waits
 * until it is healthy.
 */
export async function startMeasured(
  dataDir: string,
  log: ReturnType<typeof createProgress>,
  settings: Record<string, string> = {},
): Promise<Measured> {
  await using starting = new AsyncDisposableStack()
  const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3)
  const stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({
      dataDir,
      ports: { postgres, nats, temporal },
      log,
      env: testEnvironment(process.env),
      fresh: true,
    }),
  )
  starting.use(stack)
  const { coffer, baseUrl } = starting.use(await startCoffer(dataDir, stack, settings))
  const started = starting.move()
  return { baseUrl, stack, coffer, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** Starts a Coffer process on running servers, and waits until it is healthy. */
export async function startCoffer(
  dataDir: string,
  stack: Stack,
  settings: Record<string, string> = {},
): Promise<Omit<Measured, 'stack'>> {
  const [port = 0, rpc = 0, grpc = 0] = await freePorts(3)
  await using starting = new AsyncDisposableStack()
  const coffer = startServerProcess({
    name: 'coffer',
    dataDir,
    command: process.execPath,
    args: [...nodeOptions, join(root, 'deploy/cli/src/coffer.ts'), 'serve', '--migrate'],
    env: {
      ...nodeEnvironment,
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      COFFER_DATA_DIR: dataDir,
      COFFER_DATABASE_URL: stack.databaseSocketUrl ?? stack.databaseUrl,
      COFFER_NATS_URL: stack.natsUrl,
      COFFER_TEMPORAL_ADDRESS: stack.temporalAddress,
      COFFER_PORT: String(port),
      COFFER_RPC_PORT: String(rpc),
      COFFER_GRPC_PORT: String(grpc),
      COFFER_ALLOW_SIGN_UP: 'true',
      COFFER_FEED_ENABLED: 'true',
      COFFER_UPLOADS_ENABLED: 'true',
      COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000',
      COFFER_LOG_LEVEL: 'warn',
      ...settings,
    },
    stopSignal: 'SIGTERM',
  })
  starting.defer(coffer.stop)
  const baseUrl = `http://127.0.0.1:${port}`
  await Promise.race([coffer.running, untilHealthy(baseUrl)])
  const started = starting.move()
  return { baseUrl, coffer, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/**
 * Runs a measurement on a new Coffer process, then stops it and its servers. Returns the result of
 * `measure`, 1 after a signal; throws if Coffer ends.
 */
export async function runMeasured(
  of: {
    dataDir: string
    log: ReturnType<typeof createProgress>
    stop: AbortSignal
    settings?: Record<string, string>
  },
  measure: (measured: Measured) => Promise<number>,
): Promise<number> {
  await using measured = await startMeasured(of.dataDir, of.log, of.settings)
  const stopped = aborted(of.stop).then(() => 1)
  return await Promise.race([stopped, measured.coffer.running, measure(measured)])
}

async function untilHealthy(baseUrl: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += pollMs) {
    const answer = await fetch(`${baseUrl}/api/health`).catch(() => null)
    if (answer?.ok) return
    await sleep(pollMs)
  }
  throw new FatalError(`${baseUrl} is not healthy after ${startTimeoutMs / 1000} s.`)
}
