import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isHeld } from '../../bootstrap/lock.mjs'
import { lockPath } from '../data-directory.ts'

/** The settings of the server that `npm start` runs, by the names of their variables. */
export type RunningSettings = {
  /** Values for other commands; addresses of servers include passwords. */
  values: Record<string, string>
  /** Secrets as `coffer config` prints them; their values are not stored. */
  masked: Record<string, string>
}

/**
 * Writes the settings of a running server to `run/settings` until disposed, for other commands on
 * this machine. The file is readable for its owner alone.
 */
export function publishSettings(dataDir: string, settings: RunningSettings): Disposable {
  const path = settingsPath(dataDir)
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
}

/** The settings of the server that runs on this data directory; null without one. */
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
