import { execFile } from 'node:child_process'
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporal } from '../bootstrap/tool-table.mjs'
import { ensureBinary } from '../bootstrap/tools.mjs'
import { requireFreePort } from './ports.ts'
import { runRestartable } from './restart.ts'
import {
  logPath,
  type Server,
  type ServerOptions,
  startServerProcess,
  untilReady,
} from './server-process.ts'

const startTimeoutMs = 60_000
const probeTimeoutMs = 5_000
const lookMs = 2_000
const interrupted = 'interrupted (9)'
const tailBytesMax = 64 * 1024

/**
 * Maximum polls per second of each queue of Temporal's history service. With Temporal's default of
 * 20, a workflow step waits 50 to 150 ms.
 */
const pollRate = 2_000
const dynamicConfig = [
  `history.transferProcessorMaxPollRPS=${pollRate}`,
  `history.timerProcessorMaxPollRPS=${pollRate}`,
  `history.visibilityProcessorMaxPollRPS=${pollRate}`,
]

/**
 * Go settings for a server in memory: one processor and less frequent garbage collection. They save
 * a seventh of the CPU time, and cost a few MB.
 */
const inMemory = { GOMAXPROCS: '1', GOGC: '400' }

/** Runs a command of `temporal operator` against the server; rejects when the command fails. */
type Ask = (words: string[]) => Promise<{ stdout: string }>

/**
 * Starts Temporal's development server on an SQLite file in `temporal/`, or in memory, unless
 * `COFFER_TEMPORAL_ADDRESS` names a running server. `settings` are added to its dynamic
 * configuration. Throws FatalError when its port is in use, or it does not answer within 60 s.
 */
export async function startTemporal(
  options: ServerOptions & { isInMemory?: boolean; settings?: readonly string[] },
): Promise<Server> {
  const { dataDir, port, log, env, fresh, isInMemory = false, settings = [] } = options
  if (env.COFFER_TEMPORAL_ADDRESS) return { url: env.COFFER_TEMPORAL_ADDRESS, process: null }
  const command = await ensureBinary(temporal, { env, progress: log })
  await requireFreePort({ port, server: 'Temporal', setting: 'COFFER_TEMPORAL_PORT' })
  const store = join(dataDir, 'temporal')
  if (fresh) {
    rmSync(store, { recursive: true, force: true })
  }
  mkdirSync(store, { recursive: true, mode: 0o700 })
  const address = `127.0.0.1:${port}`
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--log-level',
    'warn',
    ...(isInMemory ? [] : ['--db-filename', join(store, 'temporal.sqlite')]),
    ...[...dynamicConfig, ...settings].flatMap((setting) => ['--dynamic-config-value', setting]),
  ]
  const ask: Ask = (words) =>
    promisify(execFile)(command, ['operator', ...words, '--address', address], {
      timeout: probeTimeoutMs,
    })
  const server = runRestartable({
    start: () =>
      startServerProcess({
        name: 'temporal',
        dataDir,
        command,
        args,
        env: { ...process.env, ...(isInMemory ? inMemory : {}) },
        stopSignal: 'SIGTERM',
      }),
    isStuck: storeWatch(ask, logPath(dataDir, 'temporal')),
    intervalMs: lookMs,
    onRestart: () => log.say('temporal', 'its store no longer answers: restarting the server'),
  })
  await untilReady({
    name: 'temporal',
    server,
    timeoutMs: startTimeoutMs,
    probe: () => requireServing(ask),
  })
  return { url: address, process: server }
}

/**
 * Returns a function that resolves to whether the SQLite store is stuck. In the pinned version of
 * Temporal, SQLite can stay interrupted: every statement fails, while the server reports that it is
 * healthy. Only after the log mentions an interrupt, the function runs a command that reads the
 * store.
 */
function storeWatch(ask: Ask, log: string) {
  const written = createTail(log)
  const fault = () =>
    ask(['namespace', 'describe', 'default']).then(
      () => null,
      (error: { stderr?: string }) => error.stderr ?? '',
    )
  let isSuspect = false
  return async () => {
    isSuspect ||= written().includes(interrupted)
    if (!isSuspect) return false
    const text = await fault()
    const isStuck = text?.includes(interrupted) ?? false
    isSuspect = text !== null && !isStuck
    return isStuck
  }
}

/** Rejects unless the server is healthy, because its port opens before it can answer. */
async function requireServing(ask: Ask): Promise<void> {
  const { stdout } = await ask(['cluster', 'health'])
  if (!stdout.includes('SERVING')) throw new Error(stdout)
}

/**
 * Returns a function that reads a log file. Each call returns the text written since the previous
 * call, at most the last 64 KiB; empty for a missing file. A file that has become shorter was
 * replaced, and is read from the start.
 */
function createTail(path: string): () => string {
  let end = 0
  return () => {
    if (!existsSync(path)) return ''
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const begin = Math.max(size < end ? 0 : end, size - tailBytesMax)
      end = size
      const bytes = Buffer.alloc(size - begin)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, begin))
    } finally {
      closeSync(file)
    }
  }
}
