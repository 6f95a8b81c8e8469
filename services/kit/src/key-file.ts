import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * The content of a file that holds a key, made on first use (mode 0600). Processes that start at
 * the same time agree on one content: the first to put the whole file in place wins.
 */
export function readOrMake(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, make(), { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolderOf(path)
  return readFileSync(path, 'utf8')
}

/** Puts a whole file in the place of one that holds a key (mode 0600), at once. */
export function putInPlace(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, path)
  syncFolderOf(path)
}

/** The name lasts through a power cut from here on, as does what the key seals. */
function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
