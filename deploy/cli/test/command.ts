import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import { runProgram } from '../src/program.ts'

const entry = join(import.meta.dirname, '../src/coffer.ts')

/** What a command printed, and its exit code; null when a signal ended it. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

/** A `coffer` command that runs. */
export type Running = { child: ChildProcess; printed: () => string; outcome: Promise<Outcome> }

/** Starts the real command with these variables and nothing of ours. */
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
  return {
    child,
    printed: () => stdout,
    outcome: once(child, 'close').then(([code]) => ({ code, stdout, stderr })),
  }
}

/** Runs the real command to its end. */
export function runCommand(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return startCommand(args, env).outcome
}

/**
 * Runs a command to its end in this process, for what does not concern the start of a process:
 * that takes a second, most of it to load code. One at a time, since it takes what is printed.
 */
export async function runHere(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockReturnValue(true),
  )
  const printed = (stream = stdout) => stream?.mock.calls.map(([text]) => text).join('') ?? ''
  try {
    const code = await runProgram(args, env)
    return { code, stdout: printed(stdout), stderr: printed(stderr) }
  } finally {
    stdout?.mockRestore()
    stderr?.mockRestore()
  }
}
