import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isHeld } from '../../bootstrap/lock.mjs'
import { lockPath } from '../data-directory.ts'

/** The settings of the server that `npm start` runs, by the names of their variables. */
export type RunningSettings = {
  /** For other commands; the addresses of our servers hold their passwords. */
  values: Record<string, string>
  /** Secrets that are not written down, as they are shown. */
  masked: Record<string, string>
}

/**
 * Writes down the settings of the server of a data directory, while it runs, so that other commands
 * on this machine find it and have the same. The file is for its owner alone.
 */
export function publishSettings(dataDir: string, settings: RunningSettings): Disposable {
  const path = settingsPath(dataDir)
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
}

/** The settings of the server that runs on this data directory; null when none does. */
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
