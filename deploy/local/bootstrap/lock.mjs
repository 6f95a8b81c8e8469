// @ts-check
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from './fatal-error.mjs'
import { processIdentity } from './process-identity.mjs'

const attemptsMax = 20
const pollMs = 250

/**
 * @typedef {{ pid: number, identity: string }} Holder
 * @typedef {{ release: () => void }} Lock
 */

/**
 * Tries to take a lock: a file with the ID of the process that holds it. Replaces a stale lock,
 * whose process has ended.
 *
 * @param {string} path
 * @returns {{ lock: Lock, holder: null } | { lock: null, holder: Holder }} the lock, or its holder
 */
export function tryLock(path) {
  mkdirSync(dirname(path), { recursive: true })
  const own = `${path}.${process.pid}`
  writeFileSync(own, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) }))
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      if (linked(own, path)) {
        return { lock: { release: () => rmSync(path, { force: true }) }, holder: null }
      }
      const holder = holderOf(path)
      if (isAlive(holder)) return { lock: null, holder }
      removeStale(path, holder)
    }
    throw new FatalError(`The lock ${path} cannot be taken.`)
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Takes the lock; waits while another process holds it.
 *
 * @param {string} path
 * @param {object} options
 * @param {number} options.timeoutMs
 * @param {(holder: Holder) => void} options.onWait called once, before the first pause
 * @param {(holder: Holder) => string} [options.refusal] the message of the error
 * @returns {Promise<Lock>}
 * @throws {FatalError} when the timeout (ms) passes
 */
export async function waitForLock(path, { timeoutMs, onWait, refusal }) {
  const deadline = performance.now() + timeoutMs
  let waiting = false
  for (;;) {
    const { lock, holder } = tryLock(path)
    if (lock !== null) return lock
    if (performance.now() > deadline) {
      const gaveUp = `Gave up waiting for process ${holder.pid}, which holds ${path}.`
      throw new FatalError(refusal?.(holder) ?? gaveUp)
    }
    if (!waiting) {
      waiting = true
      onWait(holder)
    }
    await sleep(pollMs)
  }
}

/**
 * Returns whether a running process holds the lock.
 *
 * @param {string} path
 */
export function isHeld(path) {
  return isAlive(holderOf(path))
}

/**
 * @param {Holder | null} holder
 * @returns {holder is Holder}
 */
function isAlive(holder) {
  return holder !== null && processIdentity(holder.pid) === holder.identity
}

/**
 * @param {string} from
 * @param {string} to
 */
function linked(from, to) {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/**
 * @param {string} path
 * @returns {Holder | null}
 */
function holderOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/**
 * Removes a stale lock, whose process has ended. Renames the lock file first, then reads it: if
 * another process has taken the lock before the rename, its lock file is renamed back.
 *
 * @param {string} path
 * @param {Holder | null} stale
 */
function removeStale(path, stale) {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const moved = holderOf(aside)
  if (moved !== null && moved.identity !== stale?.identity) {
    linked(aside, path)
  }
  rmSync(aside, { force: true })
}
