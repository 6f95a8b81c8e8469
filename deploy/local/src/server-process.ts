import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { recordProcess } from './process-record.ts'

const killGraceMs = 20_000
const pollMs = 50

/** Options for starting Postgres, NATS or Temporal. */
export type ServerOptions = {
  /** Absolute path of the data directory. */
  dataDir: string
  port: number
  log: Progress
  env: NodeJS.ProcessEnv
  /** Whether the data of earlier runs is deleted. */
  fresh: boolean
}

/** A running server; `process` is null when a setting names the server. */
export type Server = { url: string; process: ServerProcess | null }

/** Command line, environment and output of a server process. */
export type Command = {
  name: string
  dataDir: string
  command: string
  args: string[]
  cwd?: string
  user?: { uid: number; gid: number } | undefined
  env?: NodeJS.ProcessEnv
  stopSignal: NodeJS.Signals
  /**
   * `inherit`: the server writes to the output of this process instead of `log/<name>.log`.
   * `prefixed`: the same, with the server's name before each line.
   */
  output?: 'inherit' | 'prefixed'
}

/** The unexpected end of a server. The exit code is null after a signal. */
export type Death = { code: number | null; error: FatalError }

/** A child process that runs a server. */
export type ServerProcess = {
  pid: number
  /** Resolves when the server ends and `stop` was not called. */
  died: Promise<Death>
  /** Rejects when the server ends, so that callers stop waiting for its readiness. */
  running: Promise<never>
  /** Sends a signal (default: `stopSignal`), SIGKILL after 20 s. Resolves at the server's end. */
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Starts a server in its own process group. So Ctrl-C in the terminal reaches only this process,
 * which drains before it stops the server. `run/<name>.json` records the server for the next start,
 * in case this process is killed.
 */
export function startServerProcess(options: Command): ServerProcess {
  const { name, dataDir, command, args, user, stopSignal } = options
  const path = options.output === undefined ? logPath(dataDir, name) : null
  const output = path === null ? outputs[options.output ?? 'inherit'] : openLog(path)
  const child = spawn(command, args, {
    cwd: options.cwd ?? dataDir,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', output, output],
    ...user,
  })
  if (typeof output === 'number') closeSync(output)
  if (child.stdout) printLines(name, child.stdout, console.log)
  if (child.stderr) printLines(name, child.stderr, console.error)
  const record = child.pid === undefined ? null : recordProcess({ ...options, pid: child.pid })
  const died = Promise.withResolvers<Death>()
  const ended = Promise.withResolvers<void>()
  let stopping = false
  const onEnd = (code: number | null, what: string) => {
    record?.remove()
    ended.resolve()
    if (!stopping) {
      const tail = path === null ? '' : lastLineOf(path)
      died.resolve({ code, error: new FatalError(`${name} ${what}.${tail}`) })
    }
  }
  child.on('error', (error) => onEnd(null, `cannot be started (${error.message})`))
  child.on('exit', (code, signal) =>
    onEnd(code, `ended unexpectedly (${signal ?? `exit code ${code}`})`),
  )
  return {
    pid: child.pid ?? 0,
    ...lifeOf(died.promise),
    stop: async (signal = stopSignal) => {
      stopping = true
      child.kill(signal)
      const kill = setTimeout(() => child.kill('SIGKILL'), killGraceMs)
      await ended.promise
      clearTimeout(kill)
    },
  }
}

const outputs = { inherit: 'inherit', prefixed: 'pipe' } as const

function printLines(name: string, stream: Readable, print: (line: string) => void): void {
  createInterface({ input: stream }).on('line', (line) => print(`${name.padEnd(19)}${line}`))
}

/** Returns `died` unchanged, and `running`, which rejects when `died` resolves. */
export function lifeOf(died: Promise<Death>): Pick<ServerProcess, 'died' | 'running'> {
  const running = died.then(({ error }) => Promise.reject(error))
  running.catch(() => {})
  return { died, running }
}

/**
 * Polls until the probe resolves. Stops the server and throws FatalError when the probe does not
 * resolve within the timeout, or the server ends.
 */
export async function untilReady(options: {
  name: string
  server: ServerProcess
  timeoutMs: number
  probe: () => Promise<unknown>
}): Promise<void> {
  const { name, server, timeoutMs, probe } = options
  const deadline = performance.now() + timeoutMs
  try {
    await Promise.race([server.running, poll(probe, deadline, name)])
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function poll(probe: () => Promise<unknown>, deadline: number, name: string): Promise<void> {
  for (;;) {
    try {
      await probe()
      return
    } catch (error) {
      if (performance.now() > deadline) {
        throw new FatalError(`${name} does not answer: ${String(error)}`)
      }
    }
    await sleep(pollMs)
  }
}

/** Returns the path of the log file of a server. */
export function logPath(dataDir: string, name: string): string {
  return join(dataDir, 'log', `${name}.log`)
}

/** Opens a new log file; the previous one gets the suffix `.1`. */
function openLog(path: string): number {
  if (existsSync(path)) {
    renameSync(path, `${path}.1`)
  }
  return openSync(path, 'a', 0o600)
}

function lastLineOf(path: string): string {
  const line = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? ''
  return ` ${path} ends with: ${line}`
}
