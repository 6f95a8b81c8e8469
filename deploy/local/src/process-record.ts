import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import type { Progress } from '../bootstrap/progress.mjs'

const pollMs = 50
const graceMs = 20_000
const killMs = 5_000

type ProcessRecord = { name: string; pid: number; identity: string; stopSignal: NodeJS.Signals }

/**
 * Records a child in `run/<name>.json`, so that the next start stops it if this process is killed.
 */
export function recordProcess(child: {
  dataDir: string
  name: string
  pid: number
  stopSignal: NodeJS.Signals
}): { remove: () => void } {
  const { dataDir, name, pid, stopSignal } = child
  const path = join(dataDir, 'run', `${name}.json`)
  writeFileSync(path, JSON.stringify({ name, pid, identity: processIdentity(pid), stopSignal }))
  return { remove: () => rmSync(path, { force: true }) }
}

/**
 * Stops the servers of a killed run, the last one started first. Skips a process whose identity
 * differs from its record. The caller holds the lock of the data directory. Throws FatalError when
 * a server cannot be stopped.
 */
export async function stopLeftovers(deps: { dataDir: string; log: Progress }): Promise<void> {
  const run = join(deps.dataDir, 'run')
  const paths = readdirSync(run)
    .filter((file) => file.endsWith('.json'))
    .map((file) => join(run, file))
    .sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs)
  for (const path of paths) {
    const record = readRecord(path)
    if (record !== null && processIdentity(record.pid) === record.identity) {
      deps.log.say(record.name, `stopping process ${record.pid}, left behind by a killed run`)
      await stopProcess(record)
    }
    rmSync(path, { force: true })
  }
}

/**
 * Stops a process that is not a child of this one, and waits for its end. Throws FatalError when
 * SIGKILL does not end it.
 */
export async function stopProcess(record: Omit<ProcessRecord, 'name'>): Promise<void> {
  const { pid, identity, stopSignal } = record
  const attempts = [
    { signal: stopSignal, waitMs: graceMs },
    { signal: 'SIGKILL' as const, waitMs: killMs },
  ]
  for (const { signal, waitMs } of attempts) {
    if (processIdentity(pid) === identity) {
      process.kill(pid, signal)
    }
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
      if (processIdentity(pid) !== identity) return
      await sleep(pollMs)
    }
  }
  throw new FatalError(`Process ${pid}, left behind by a killed run, cannot be stopped.`)
}

function readRecord(path: string): ProcessRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
