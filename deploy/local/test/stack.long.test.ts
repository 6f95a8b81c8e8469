import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { freePorts } from '../src/ports.ts'
import { startStack } from '../src/stack.ts'
import { quietProgress, scratchDirectory } from './scratch.ts'

const timeoutMs = 120_000
const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
const otherServers = {
  COFFER_NATS_URL: 'nats://nats.example',
  COFFER_TEMPORAL_ADDRESS: 'temporal.example:7233',
}

async function somePorts() {
  const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3)
  return { postgres, nats, temporal }
}

async function query(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Returns the process IDs of the servers recorded in the data directory, keyed by server. */
function notedServers(dataDir: string): Map<string, number> {
  const run = join(dataDir, 'run')
  const files = readdirSync(run).filter((file) => file.endsWith('.json'))
  const records = files.map((file) => JSON.parse(readFileSync(join(run, file), 'utf8')))
  return new Map(records.map(({ name, pid }) => [name, pid]))
}

function living(pids: Iterable<number>): number[] {
  return [...pids].filter((pid) => processIdentity(pid) !== null)
}

test(
  'servers of a killed run are stopped and their data is kept; the death of a server is reported',
  async () => {
    using scratch = scratchDirectory()
    const dataDir = join(scratch.path, 'data')
    const ports = await somePorts()
    const script = join(import.meta.dirname, 'hold-stack.ts')
    const holder = spawn(process.execPath, [script, dataDir, ...Object.values(ports).map(String)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface(holder.stdout), 'line')
    await query(JSON.parse(line).databaseUrl, 'create table kept as select 7 as seven')
    const left = notedServers(dataDir)
    expect([...left.keys()].sort()).toEqual(['nats', 'postgres', 'temporal'])

    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(living(left.values())).toHaveLength(3)

    const log = quietProgress()
    const started: number[] = []
    {
      await using stack = await startStack({ dataDir, ports, log, env })
      expect(living(left.values())).toEqual([])
      expect(log.lines.filter((text) => text.includes('left behind by a killed run'))).toHaveLength(
        3,
      )
      expect(await query(stack.databaseUrl, 'select seven from kept')).toEqual([{ seven: 7 }])
      started.push(...notedServers(dataDir).values())
      expect(living(started)).toHaveLength(3)

      const second = startStack({ dataDir, ports, log, env })
      await expect(second).rejects.toThrow(`Coffer is already running on ${dataDir}`)

      process.kill(notedServers(dataDir).get('nats') ?? 0, 'SIGKILL')
      const { error } = await stack.died
      expect(error.message).toMatch(
        /^nats ended unexpectedly \(SIGKILL\)\. \S+\/log\/nats\.log ends with: /,
      )
    }
    expect(living(started)).toEqual([])
    expect(readdirSync(join(dataDir, 'run'))).toEqual(['nats.conf'])
  },
  timeoutMs,
)

test(
  'a copy of the data directory is complete, below a private directory too; fresh deletes it',
  async () => {
    using scratch = scratchDirectory()
    const original = join(scratch.path, 'private/data')
    const dataDir = join(scratch.path, 'private/copy')
    mkdirSync(join(scratch.path, 'private'), { mode: 0o700 })
    const ports = await somePorts()
    const own = { ...env, ...otherServers }
    const options = { dataDir, ports, log: quietProgress(), env: own }
    {
      await using stack = await startStack({ ...options, dataDir: original })
      await query(stack.databaseUrl, 'create table kept as select 7 as seven')
    }
    expect(realpathSync(join(original, 'postgres'))).toBe(join(original, 'postgres'))
    cpSync(original, dataDir, { recursive: true })
    rmSync(original, { recursive: true })
    writeFileSync(join(dataDir, 'postgres/data/postmaster.pid'), `${process.pid}\n`)
    {
      await using stack = await startStack(options)
      expect(await query(stack.databaseUrl, 'select seven from kept')).toEqual([{ seven: 7 }])
      const overSocket = stack.databaseSocketUrl ?? stack.databaseUrl
      expect(await query(overSocket, 'select seven from kept')).toEqual([{ seven: 7 }])
    }
    rmSync(join(dataDir, 'postgres'), { recursive: true })
    await expect(startStack(options)).rejects.toThrow(
      `Restore ${join(dataDir, 'postgres')} from where ${dataDir} was copied, remove ${dataDir} to`,
    )
    expect(readdirSync(dataDir)).not.toContain('postgres')
    await using stack = await startStack({ ...options, fresh: true })
    expect(await query(stack.databaseUrl, "select to_regclass('kept') as kept")).toEqual([
      { kept: null },
    ])
    const settings = await query(stack.databaseUrl, 'show fsync')
    expect(settings).toEqual([{ fsync: 'on' }])
  },
  timeoutMs,
)

test(
  'a port in use stops the start, and every server that has started',
  async () => {
    using scratch = scratchDirectory()
    const dataDir = join(scratch.path, 'data')
    const busy = createServer().listen(0, '127.0.0.1')
    await once(busy, 'listening')
    const ports = { ...(await somePorts()), nats: (busy.address() as AddressInfo).port }
    const log = quietProgress()
    await expect(startStack({ dataDir, ports, log, env })).rejects.toThrow(
      `Port ${ports.nats} for NATS is in use.`,
    )
    busy.close()
    expect([...notedServers(dataDir)]).toEqual([])
    expect(readdirSync(join(dataDir, 'run'))).toEqual([])
  },
  timeoutMs,
)

test('a server that a setting names is not started', async () => {
  using scratch = scratchDirectory()
  const dataDir = join(scratch.path, 'data')
  await using stack = await startStack({
    dataDir,
    ports: await somePorts(),
    log: quietProgress(),
    env: { ...env, ...otherServers, COFFER_DATABASE_URL: 'postgres://db.example/coffer' },
  })
  expect(stack).toMatchObject({
    databaseUrl: 'postgres://db.example/coffer',
    natsUrl: 'nats://nats.example',
    temporalAddress: 'temporal.example:7233',
  })
  expect([...notedServers(dataDir)]).toEqual([])
})
