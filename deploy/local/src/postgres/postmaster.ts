import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { processIdentity } from '../../bootstrap/process-identity.mjs'
import type { Progress } from '../../bootstrap/progress.mjs'
import { stopProcess } from '../process-record.ts'

/**
 * Stops a Postgres that runs on the cluster without a record in `run/`; `postmaster.pid` has its
 * process ID. If that process has ended, or the ID belongs to another program, removes the file,
 * because Postgres would refuse to start.
 */
export async function stopPostmaster(options: { cluster: string; log: Progress }): Promise<void> {
  const { cluster, log } = options
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = firstLineAsNumber(pidFile)
  if (pid === null) return
  const identity = processIdentity(pid)
  if (identity === null || !worksOn(pid, cluster)) {
    rmSync(pidFile, { force: true })
    return
  }
  log.say('postgres', `stopping process ${pid}, which runs on the same data`)
  await stopProcess({ pid, identity, stopSignal: 'SIGINT' })
}

function firstLineAsNumber(path: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    return Number.isNaN(pid) ? null : pid
  } catch {
    return null
  }
}

/** Returns whether the working directory or an argument of the process is the cluster. */
function worksOn(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.includes(cluster)
  }
}
