import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { tryLock } from '../bootstrap/lock.mjs'

/**
 * Locks the data directory until disposed, and creates it when missing. The lock also guards the
 * store of NATS, which NATS itself does not lock.
 *
 * @throws {FatalError} when the directory cannot be written, or another process uses it
 */
export function claimDataDirectory(directory: string): AsyncDisposable & { path: string } {
  const path = resolve(directory)
  const { lock, holder } = lockIn(path)
  if (lock === null) {
    throw new FatalError(
      `Coffer is already running on ${path} (process ${holder.pid}). ` +
        'Stop it first, or set COFFER_DATA_DIR to another directory.',
    )
  }
  return {
    path,
    [Symbol.asyncDispose]: async () => lock.release(),
  }
}

/** Path of the lock file of a data directory. */
export function lockPath(dataDir: string): string {
  return join(dataDir, 'run/coffer.lock')
}

function lockIn(path: string): ReturnType<typeof tryLock> {
  try {
    makeDirectory(join(path, 'run'))
    makeDirectory(join(path, 'log'))
    accessSync(path, constants.W_OK)
    return tryLock(lockPath(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) {
      throw error
    }
    throw new FatalError(
      `Cannot write to the data directory ${path} (${code}). ` +
        'Make it writable, or set COFFER_DATA_DIR to another directory.',
    )
  }
}

/** Node's recursive mkdir never returns below a directory that accepts no entries (/proc). */
function makeDirectory(path: string): void {
  if (existsSync(path)) {
    return
  }
  makeDirectory(dirname(path))
  mkdirSync(path)
}
