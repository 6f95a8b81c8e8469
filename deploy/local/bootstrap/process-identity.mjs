// @ts-check
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns the identity of a process: boot ID and start time. A later process with the same ID has
 * another identity. Null when the process does not exist or is a zombie.
 *
 * @param {number} pid
 */
export function processIdentity(pid) {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid)
}

/** @param {number} pid */
function identityFromProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): field 2, the command name, may contain spaces and ")". The parsed text begins with
    // field 3, the state; field 22 is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return fields[0] === 'Z' ? null : `${boot}:${fields[19]}`
  } catch {
    return null
  }
}

/** @param {number} pid */
function identityFromPs(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
  })
  const [state = '', ...started] = stdout.trim().split(/\s+/)
  return state === '' || state.startsWith('Z') ? null : started.join(' ')
}
