import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { freePorts } from '../src/ports.ts'
import { scratchDirectory } from './scratch.ts'

const bootstrap = join(import.meta.dirname, '../bootstrap.mjs')
const timeoutMs = 240_000
const greetingMs = 90_000
const pollMs = 100

type Started = { child: ChildProcess; printed: () => string; exit: Promise<number | null> }

async function settings(dataDir: string): Promise<Record<string, string>> {
  const names = ['PORT', 'RPC_PORT', 'GRPC_PORT', 'POSTGRES_PORT', 'NATS_PORT', 'TEMPORAL_PORT']
  const ports = await freePorts(names.length)
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    COFFER_DATA_DIR: dataDir,
    ...Object.fromEntries(names.map((name, index) => [`COFFER_${name}`, String(ports[index])])),
  }
}

/** What `npm start` runs, under the Node of these tests. */
function start(env: Record<string, string>): Started {
  const child = spawn(process.execPath, [bootstrap, 'start'], { env })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk
    })
  }
  return { child, printed: () => text, exit: once(child, 'exit').then(([code]) => code) }
}

async function untilPrinted({ child, printed }: Started, text: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < greetingMs && !printed().includes(text); waitedMs += pollMs) {
    if (child.exitCode !== null) {
      break
    }
    await sleep(pollMs)
  }
  expect(printed()).toContain(text)
}

/** The answers to the lines that a user is told to paste. */
async function answers(printed: string): Promise<{ status: number; body: unknown }[]> {
  const lines = [...printed.matchAll(/^ {2}curl -u (\S+) '(\S+)'$/gm)]
  expect(lines).toHaveLength(3)
  return Promise.all(
    lines.map(async ([, credential = '', url = '']) => {
      const authorization = `Basic ${Buffer.from(credential).toString('base64')}`
      const response = await fetch(url, { headers: { authorization } })
      return { status: response.status, body: await response.json() }
    }),
  )
}

/** Process IDs of everything that the data directory says is running. */
function noted(dataDir: string): number[] {
  const run = join(dataDir, 'run')
  const files = readdirSync(run).filter((file) => /^(.*\.json|coffer\.lock)$/.test(file))
  return files.map((file) => JSON.parse(readFileSync(join(run, file), 'utf8')).pid)
}

const living = (pids: number[]) => pids.filter((pid) => processIdentity(pid) !== null)

test(
  'npm start greets with data that works, survives kill -9, and leaves nothing running',
  async () => {
    using scratch = scratchDirectory()
    const dataDir = join(scratch.path, 'data')
    const env = await settings(dataDir)

    const first = start(env)
    await untilPrinted(first, 'limit=5')
    expect(first.printed()).toContain('Free to use')
    const told = await answers(first.printed())
    expect(told.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(told[0]?.body).toMatchObject([{ institutionName: 'Demo Bank', linkType: 'manual' }])
    expect(told[2]?.body).toHaveLength(5)

    const second = start(env)
    expect(await second.exit).toBe(1)
    expect(second.printed()).toContain(`Coffer is already running on ${dataDir}`)

    const running = noted(dataDir)
    expect(living(running)).toHaveLength(5)
    for (const pid of [first.child.pid ?? 0, ...running]) {
      process.kill(pid, 'SIGKILL')
    }
    await first.exit

    const third = start(env)
    await untilPrinted(third, 'limit=5')
    expect(await answers(third.printed())).toEqual(told)
    const again = noted(dataDir)
    third.child.kill('SIGINT')
    expect(await third.exit).toBe(0)
    expect(living(again)).toEqual([])
  },
  timeoutMs,
)
