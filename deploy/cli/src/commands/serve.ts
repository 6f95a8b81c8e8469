import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '@coffer/host/logger'
import type { Environment } from '@coffer/host/settings'
import { SettingsError } from '@coffer/kit/service/config'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { loadParts, type Parts, servicesOf } from '../process/parts.ts'
import { type RunningProcess, startProcess } from '../process/process.ts'
import { requireServedTables, updateTables } from '../process/tables.ts'
import { type Config, readConfig } from '../settings/environment.ts'
import { requireServeSettings } from '../settings/serve-settings.ts'
import type { PartName } from '../settings/service-names.ts'

const drainMs = 15_000

/**
 * Time in ms after the first signal in which further ones are ignored: Ctrl-C may cause two, one
 * from npm.
 */
const sameSignalMs = 1_000

export type ServeOptions = { names: PartName[]; migrate?: boolean; demo?: boolean }

/** `coffer serve`: runs services until a signal arrives. */
export async function serve(options: ServeOptions, env: Environment): Promise<undefined> {
  await serveUntil(untilStopped(), options, env)
}

/**
 * Runs services until `stopped` resolves. Then serves for the lame-duck time, and finishes running
 * requests and jobs (docs/operations.md). Throws FatalError when they take longer than 15 s.
 */
export async function serveUntil(
  stopped: Promise<unknown>,
  options: ServeOptions,
  env: Environment,
): Promise<void> {
  const config = readConfig(env)
  const parts = await loadParts(options.names, config)
  requireServeSettings(servicesOf(parts), config)
  const prepareTables = options.migrate ? updateTables : requireServedTables
  await prepareTables(parts.definitions, config)
  const log = createLog({ level: config.logLevel, name: 'coffer' })
  const running = await startProcess({ parts, config, log }).catch(asSettingsError)
  // Writes the compile cache now: by itself, Node writes it at exit, and not if it is killed.
  void running.started.then(flushCompileCache)
  const { dataDir, externalUrl } = config
  const { baseUrl } = running
  console.log(readyText(parts, running, externalUrl))
  if (options.demo && config.demo && baseUrl !== null) {
    const { greet } = await import('../demo/demo.ts')
    const publicUrl = externalUrl || baseUrl
    await Promise.race([stopped, greet({ baseUrl, publicUrl, dataDir })])
  }
  await stopped
  console.log(stoppingText(config))
  const finished = running[Symbol.asyncDispose]()
  await Promise.race([finished, failLate(drainMs + 1_000 * config.lameDuckSeconds)])
}

/** Converts the error of an address that cannot be bound, because the address is a setting. */
function asSettingsError(
  error: NodeJS.ErrnoException & { address?: string; port?: number },
): never {
  const { syscall, address, port, code } = error
  if (syscall !== 'listen') throw error
  throw new SettingsError(
    `cannot listen on ${address}:${port} (${code}): see COFFER_HOST and the ports`,
  )
}

async function failLate(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false })
  throw new FatalError(`not finished after ${drainMs / 1000} s: leaving`)
}

/** Resolves on the first SIGTERM, SIGINT or SIGHUP. A second signal exits the process with 1. */
function untilStopped(): Promise<void> {
  let firstAt: number | null = null
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        firstAt ??= performance.now()
        if (performance.now() - firstAt > sameSignalMs) {
          process.exit(1)
        }
        resolve()
      })
    }
  })
}

function stoppingText({ lameDuckSeconds: seconds }: Config): string {
  const serving = seconds === 0 ? '' : `serving on for ${seconds} s, then `
  return `stopping: ${serving}requests and jobs in progress are finished`
}

function readyText(
  { definitions }: Parts,
  { baseUrl, rpcUrl }: RunningProcess,
  externalUrl: string,
): string {
  const names = definitions.map(({ name }) => name).join(', ')
  const calls = names === '' ? '' : `${names} at ${rpcUrl}`
  const outside = externalUrl === '' ? '' : `${externalUrl}, here `
  const rest = baseUrl === null ? '' : `app at ${outside}${baseUrl}, REST API below /api`
  return `ready: ${[rest, calls].filter(Boolean).join('; ')}`
}
