import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SettingsError } from '../service/config.ts'

const bytesMax = 16 * 1024

/** Bits of a file's mode that a private key must not have: read by others, changed by a group. */
const tooOpen = 0o027

/**
 * The names in the keys folder; none where there is no folder. Throws SettingsError where it is not
 * a folder or cannot be read.
 */
export function keyFileNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !isEntry(folder)) return []
    throw faultOf(folder, error)
  }
}

/**
 * The content of a key file; null where there is none. Throws SettingsError where it cannot be
 * used: no regular file, empty, not readable, or a private key that others may read.
 */
export function readKeyFile(path: string): string | null {
  let file: number
  try {
    // Opening a pipe would wait for a writer otherwise.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !isEntry(path)) return null
    throw faultOf(path, error)
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw keyFault(path, 'is not a regular file')
    if (stats.size === 0) throw keyFault(path, 'is empty')
    if (stats.size > bytesMax) throw keyFault(path, 'is too large for a key')
    if (path.endsWith('.key') && (stats.mode & tooOpen) !== 0) {
      const mode = (stats.mode & 0o777).toString(8)
      throw keyFault(path, `may be read or changed by others (mode ${mode}): chmod it to 600`)
    }
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/**
 * Makes a key file (mode 0600) where there is none; returns whether it did. Of processes that do so
 * at the same time one succeeds, with the whole file. Throws SettingsError where it cannot.
 */
export function makeKeyFile(path: string, make: () => string): boolean {
  if (readKeyFile(path) !== null) return false
  const draft = `${path}.${randomUUID()}`
  try {
    makeFolder(dirname(path))
    writeFileSync(draft, make(), { mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST') && readKeyFile(path) !== null) return false
    const text = `is missing and cannot be made here (${reasonOf(error)})`
    throw keyFault(path, `${text}: bring it along, made by "coffer keys:create" elsewhere`)
  } finally {
    remove(draft)
  }
  syncFolderOf(path)
  return true
}

/** Throws SettingsError where key files cannot be made in the folder; makes none. */
export function requireWritable(folder: string): void {
  let nearest = resolve(folder)
  while (!isEntry(nearest)) nearest = dirname(nearest)
  try {
    // Permissions alone do not tell: root may write to procfs, which takes no entries.
    rmdirSync(mkdtempSync(join(nearest, '.coffer-')))
  } catch (error) {
    const text = `lacks keys, which cannot be made here (${reasonOf(error)})`
    throw keyFault(folder, `${text}: bring them along, made by "coffer keys:create" elsewhere`)
  }
}

/**
 * Puts a whole file in the place of one that holds a key (mode 0600), at once. Throws SettingsError
 * where it cannot.
 */
export function putInPlace(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, path)
  } catch (error) {
    remove(draft)
    throw keyFault(path, `cannot be replaced (${reasonOf(error)})`)
  }
  syncFolderOf(path)
}

/** A fault of the keys folder, or of a file in it, that the operator can mend. */
export function keyFault(path: string, text: string): SettingsError {
  return new SettingsError(`COFFER_KEYS_DIR: ${path} ${text}`)
}

/**
 * Each folder above is tried once: `recursive` of mkdirSync never ends where mkdir says ENOENT
 * below a folder that exists (procfs).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function remove(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // The folder is why nothing was made.
  }
}

/** The name lasts through a power cut from here on, as does what the key seals. */
function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function faultOf(path: string, error: unknown): SettingsError {
  return hasCode(error, 'ENOENT')
    ? keyFault(path, 'is a link that leads nowhere')
    : keyFault(path, `cannot be read (${reasonOf(error)})`)
}

/** `EACCES: permission denied` of Node's text, which goes on with the call and the path. */
function reasonOf(error: unknown): string {
  return String((error as Error).message).split(',', 1)[0] ?? ''
}

/** Whether there is something of that name, be it a link that leads nowhere. */
export function isEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Below a file, or in a folder that is closed to this process.
    return false
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
