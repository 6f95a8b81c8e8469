import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { isHeld, waitForLock } from '../bootstrap/lock.mjs'
import type { Progress } from '../bootstrap/progress.mjs'

/** Maximum time in ms to wait for the end of another run, which is stopping or was killed. */
const endingMsMax = 5_000

/**
 * Creates the data directory if it is missing, and locks it until disposal, because NATS does not
 * lock its store. Waits up to `waitMs` for another run to end, since a killed run stops its servers
 * before it releases the lock. Throws FatalError when the directory is not writable, or still in
 * use.
 */
export async function claimDataDirectory(
  directory: string,
  { log, waitMs = endingMsMax }: { log: Progress; waitMs?: number },
): Promise<AsyncDisposable & { path: string }> {
  const path = resolve(directory)
  const lock = await lockIn(path, { log, waitMs })
  return {
    path,
    [Symbol.asyncDispose]: async () => lock.release(),
  }
}

/** Returns whether a run has used the directory, and none is using it now. */
export function isUnclaimed(directory: string): boolean {
  return existsSync(join(directory, 'run')) && !isHeld(lockPath(directory))
}

/** The settings of the server that `npm start` runs, keyed by their variables. */
export type RunningSettings = {
  /** Values in plain text, for other commands; URLs of servers include their passwords. */
  values: Record<string, string>
  /** Secrets in masked form, as `coffer config` prints them. */
  masked: Record<string, string>
}

/**
 * Writes the settings of a running server to `run/settings`, readable only by its owner, for other
 * commands on this machine. Disposing deletes the file.
 */
export function publishSettings(dataDir: string, settings: RunningSettings): Disposable {
  const path = settingsPath(dataDir)
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
}

/** Returns the settings of the server running on this data directory; null if none is running. */
export function runningSettings(dataDir: string): RunningSettings | null {
  try {
    return isHeld(lockPath(dataDir))
      ? JSON.parse(readFileSync(settingsPath(dataDir), 'utf8'))
      : null
  } catch {
    return null
  }
}

function settingsPath(dataDir: string): string {
  return join(dataDir, 'run/settings')
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'run/coffer.lock')
}

async function lockIn(
  path: string,
  { log, waitMs }: { log: Progress; waitMs: number },
): ReturnType<typeof waitForLock> {
  try {
    makeDirectory(join(path, 'run'))
    makeDirectory(join(path, 'log'))
    accessSync(path, constants.W_OK)
    return await waitForLock(lockPath(path), {
      timeoutMs: waitMs,
      onWait: ({ pid }) => log.say('servers', `waiting for the end of process ${pid} on ${path}`),
      refusal: ({ pid }) =>
        `Coffer is already running on ${path} (process ${pid}). ` +
        'Stop it first, or set COFFER_DATA_DIR to another directory.',
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new FatalError(
      `Cannot write to the data directory ${path} (${code}). ` +
        'Make it writable, or set COFFER_DATA_DIR to another directory.',
    )
  }
}

/** Creates a directory and its parents: Node's recursive mkdir never returns below /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path)
}
