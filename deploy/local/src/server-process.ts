import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { recordProcess } from './process-record.ts'

const killGraceMs = 20_000

/** How to start one server process. */
export type Command = {
  name: string
  dataDir: string
  command: string
  args: string[]
  cwd?: string
  user?: { uid: number; gid: number } | undefined
  env?: NodeJS.ProcessEnv
  stopSignal: NodeJS.Signals
  /** Ours, or `log/<name>.log` when left out. */
  output?: 'inherit'
}

/** A server that ended by itself: its exit code, null when a signal ended it. */
export type Death = { code: number | null; error: FatalError }

/** A server that we started. */
export type ServerProcess = {
  pid: number
  /** Resolves when it ends without `stop` having been called. */
  died: Promise<Death>
  /** Rejects as soon as it ends; for racing against readiness. */
  running: Promise<never>
  /** Asks it to end, by its own signal unless given another, then makes it; resolves once gone. */
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Starts a server in a process group of its own, so that the terminal's Ctrl-C reaches us alone
 * and the server outlives what we still have to drain.
 * `run/<name>.json` tells the next start about it, should this process be killed.
 */
export function startServerProcess(options: Command): ServerProcess {
  const { name, dataDir, command, args, user, stopSignal } = options
  const path = options.output === 'inherit' ? null : logPath(dataDir, name)
  const output = path === null ? 'inherit' : openLog(path)
  const child = spawn(command, args, {
    cwd: options.cwd ?? dataDir,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', output, output],
    ...user,
  })
  if (output !== 'inherit') {
    closeSync(output)
  }
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

/** A server's end, and the same as a rejection. */
export function lifeOf(died: Promise<Death>): Pick<ServerProcess, 'died' | 'running'> {
  const running = died.then(({ error }) => Promise.reject(error))
  running.catch(() => {})
  return { died, running }
}

/** Where a server's output goes. */
export function logPath(dataDir: string, name: string): string {
  return join(dataDir, 'log', `${name}.log`)
}

/** Opens a fresh log and keeps the previous one beside it. */
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
