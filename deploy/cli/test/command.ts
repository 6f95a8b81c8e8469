import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Outcome } from '../testing/run-here.ts'

const entry = join(import.meta.dirname, '../src/coffer.ts')

/**
 * A running `coffer` command: its process, its output so far, and its output and code at exit.
 * Disposing kills a process that still runs, so that a test which fails leaves none.
 */
export type Running = AsyncDisposable & {
  child: ChildProcess
  printed: () => string
  outcome: Promise<Outcome>
}

/** Starts the real command, with these variables, PATH and HOME as its environment. */
export function startCommand(args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const outcome = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  return {
    child,
    printed: () => stdout,
    outcome,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await outcome
    },
  }
}

/** Runs the real command to its end. */
export function runCommand(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return startCommand(args, env).outcome
}
