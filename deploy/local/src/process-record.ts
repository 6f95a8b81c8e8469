import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { processIdentity } from '../bootstrap/process-identity.mjs'

const pollMs = 50
const graceMs = 20_000
const killMs = 5_000

/** Notes a child in `run/<name>.json`, so that whoever comes after a kill can find it. */
export function recordProcess(child: { dataDir: string; name: string; pid: number }): {
  remove: () => void
} {
  const path = recordPath(child)
  writeFileSync(path, JSON.stringify({ pid: child.pid, identity: processIdentity(child.pid) }))
  return { remove: () => rmSync(path, { force: true }) }
}

/**
 * Stops the server that a killed run left behind, if it is still the very process it noted.
 *
 * @returns its process ID, or null when there was none
 * @throws {FatalError} when it cannot be stopped
 */
export async function stopLeftover(leftover: {
  dataDir: string
  name: string
  signal: NodeJS.Signals
}): Promise<number | null> {
  const path = recordPath(leftover)
  const record = readRecord(path)
  if (record === null || processIdentity(record.pid) !== record.identity) {
    rmSync(path, { force: true })
    return null
  }
  await stopProcess({ ...record, signal: leftover.signal })
  rmSync(path, { force: true })
  return record.pid
}

/**
 * Ends a process that is not our child and waits until it is gone.
 *
 * @throws {FatalError} when even SIGKILL does not end it
 */
export async function stopProcess(process_: {
  pid: number
  identity: string
  signal: NodeJS.Signals
}): Promise<void> {
  const { pid, identity, signal } = process_
  for (const [attempt, waitMs] of [
    [signal, graceMs],
    ['SIGKILL' as const, killMs],
  ] as const) {
    if (processIdentity(pid) === identity) {
      process.kill(pid, attempt)
    }
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
      if (processIdentity(pid) !== identity) {
        return
      }
      await sleep(pollMs)
    }
  }
  throw new FatalError(`Process ${pid}, left behind by a killed run, cannot be stopped.`)
}

function recordPath({ dataDir, name }: { dataDir: string; name: string }): string {
  return join(dataDir, 'run', `${name}.json`)
}

function readRecord(path: string): { pid: number; identity: string } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
