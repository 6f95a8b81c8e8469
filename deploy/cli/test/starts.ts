import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { processIdentity } from '@coffer/local/bootstrap/process-identity.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { freePorts } from '@coffer/local/ports'
import { stopLeftovers } from '@coffer/local/process-record'
import { expect } from '@jest/globals'

const bootstrap = join(import.meta.dirname, '../../local/bootstrap.mjs')
/** Time in ms until a start has loaded the demo. */
const greetingMs = 90_000
const pollMs = 100
const stopMs = 30_000

/** A running `npm start`. */
export type Started = { child: ChildProcess; printed: () => string; exit: Promise<number | null> }

/** Returns the environment of `npm start` on a data directory, with free ports. */
export async function settings(dataDir: string): Promise<Record<string, string>> {
  const servers = ['POSTGRES_PORT', 'NATS_PORT', 'TEMPORAL_PORT', 'TRY_FEED_PORT']
  servers.push('TRY_AGGREGATOR_PORT')
  const names = ['PORT', 'RPC_PORT', 'GRPC_PORT', ...servers]
  const ports = await freePorts(names.length)
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    COFFER_DATA_DIR: dataDir,
    ...Object.fromEntries(names.map((name, index) => [`COFFER_${name}`, String(ports[index])])),
  }
}

/**
 * Returns a function that starts the script of `npm start` on a data directory. Disposing ends all
 * starts, and the servers that a killed one has left, so that a test which fails leaves none.
 */
export function startsOn(dataDir: string): AsyncDisposable & { start: typeof start } {
  const stack = new AsyncDisposableStack()
  stack.defer(async () => {
    if (!existsSync(join(dataDir, 'run'))) return
    await stopLeftovers({ dataDir, log: createProgress(() => undefined) })
  })
  return {
    start: (...given) => {
      const started = start(...given)
      stack.defer(() => end(started))
      return started
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Lets a start end its servers; kills it if it takes too long. */
async function end({ child, exit }: Started): Promise<void> {
  child.kill('SIGINT')
  await Promise.race([exit, sleep(stopMs, undefined, { ref: false })])
  child.kill('SIGKILL')
  await exit
}

/** Starts the script of `npm start` under the Node of these tests. */
function start(env: Record<string, string>, ...args: string[]): Started {
  const child = spawn(process.execPath, [bootstrap, 'start', ...args], { env })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk
    })
  }
  return { child, printed: () => text, exit: once(child, 'exit').then(([code]) => code) }
}

/** Runs the printed `curl` commands; returns their answers. */
export async function answers(printed: string): Promise<{ status: number; body: unknown }[]> {
  const lines = [...printed.matchAll(/^ {2}curl -u (\S+) '(\S+)'$/gm)]
  expect(lines).toHaveLength(3)
  const [, key, bank] = /^ {2}KEY=(\S+)\n {2}BANK=(bac_\w+)$/m.exec(printed) ?? []
  expect(lines.map(([, credential]) => credential)).toEqual([key, key, key])
  expect(lines.at(-1)?.[2]).toContain(`/bank_accounts/${bank}/`)
  return Promise.all(
    lines.map(async ([, credential = '', url = '']) => {
      const authorization = `Basic ${Buffer.from(credential).toString('base64')}`
      const response = await fetch(url, { headers: { authorization } })
      return { status: response.status, body: await response.json() }
    }),
  )
}

/** Waits until a start has printed a text. */
export async function untilPrinted(
  { child, printed }: Started,
  text: string,
  timeoutMs = greetingMs,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < timeoutMs && !printed().includes(text); waitedMs += pollMs) {
    if (child.exitCode !== null) break
    await sleep(pollMs)
  }
  expect(printed()).toContain(text)
}

/** Returns the IDs of the processes that the data directory records as running. */
export function noted(dataDir: string): number[] {
  const run = join(dataDir, 'run')
  const files = readdirSync(run).filter((file) => /^(.*\.json|coffer\.lock)$/.test(file))
  return files.map((file) => JSON.parse(readFileSync(join(run, file), 'utf8')).pid)
}

/** Kills a server of `npm start` with SIGKILL, and waits until it has been started again. */
export async function killServer(started: Started, dataDir: string, name: string): Promise<void> {
  const path = join(dataDir, 'run', `${name}.json`)
  const { pid } = JSON.parse(readFileSync(path, 'utf8'))
  process.kill(pid, 'SIGKILL')
  await untilPrinted(started, `${name} ended unexpectedly (SIGKILL)`)
  await eventually(
    async () => existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).pid,
    (next) => next && next !== pid && processIdentity(next) !== null,
  )
}

/** Returns those of the processes that run. */
export const living = (pids: number[]) => pids.filter((pid) => processIdentity(pid) !== null)
