import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { stopLeftover, stopProcess } from './process-record.ts'

/**
 * Stops the Postgres that a killed run left on the cluster, noted by us or by its own
 * `postmaster.pid`. A `postmaster.pid` whose process is gone or is another program by now, which
 * Postgres would take for itself, is removed.
 *
 * @returns the process ID of what was stopped, or null
 */
export async function stopPostgresLeftover(options: {
  dataDir: string
  cluster: string
}): Promise<number | null> {
  const { dataDir, cluster } = options
  const noted = await stopLeftover({ dataDir, name: 'postgres', signal: 'SIGINT' })
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = firstLineAsNumber(pidFile)
  if (pid === null) {
    return noted
  }
  const identity = processIdentity(pid)
  if (identity === null || !worksOn(pid, cluster)) {
    rmSync(pidFile, { force: true })
    return noted
  }
  await stopProcess({ pid, identity, signal: 'SIGINT' })
  return pid
}

function firstLineAsNumber(path: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    return Number.isNaN(pid) ? null : pid
  } catch {
    return null
  }
}

/** Postgres works in its cluster's directory, and ours names it on its command line. */
function worksOn(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.includes(cluster)
  }
}
