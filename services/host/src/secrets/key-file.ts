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
import { SettingsError } from '@coffer/kit/service/config'

const bytesMax = 16 * 1024

/**
 * Forbidden mode bits of a private key file: write access for the group, any access for the world.
 */
const tooOpen = 0o027

/**
 * Lists the file names in the keys folder; empty when the folder does not exist. Throws
 * SettingsError when it is not a folder or cannot be read.
 */
export function keyFileNames(folder: string): string[] {
  return ifThere(folder, () => readdirSync(folder)) ?? []
}

/**
 * Reads a key file; returns null when it does not exist.
 * @throws {SettingsError} when it is unreadable, empty, too large or not a regular file, or when
 * others may read the private key
 */
export function readKeyFile(path: string): string | null {
  // O_NONBLOCK: opening a named pipe would otherwise wait for a writer.
  const file = ifThere(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  if (file === null) return null
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

/** Opens a path; returns null if it does not exist. Throws SettingsError for other faults. */
function ifThere<Opened>(path: string, open: () => Opened, attempts = 2): Opened | null {
  try {
    return open()
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw keyFault(path, `cannot be read (${reasonOf(error)})`)
    if (!isEntry(path)) return null
    // Tries once more, because a concurrent start may have created the file meanwhile.
    if (attempts > 1) return ifThere(path, open, attempts - 1)
    throw keyFault(path, 'is a dangling symbolic link: remove it or restore its target')
  }
}

/**
 * Creates a key file (mode 0600); returns false if it exists. Atomic: of concurrent processes one
 * succeeds, and none reads a partial file. Throws SettingsError when it cannot be created.
 */
export function makeKeyFile(
  path: string,
  make: () => string,
  advice = 'bring it along, made by "coffer keys:create" elsewhere',
): boolean {
  if (readKeyFile(path) !== null) return false
  const draft = `${path}.${randomUUID()}`
  try {
    makeFolder(dirname(path))
    writeFileSync(draft, make(), { mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST') && readKeyFile(path) !== null) return false
    const text = `is missing and cannot be made here (${reasonOf(error)})`
    throw keyFault(path, `${text}: ${advice}`)
  } finally {
    remove(draft)
  }
  syncFolderOf(path)
  return true
}

/** Throws SettingsError when no key file can be created in the folder. Leaves no file behind. */
export function requireWritable(folder: string): void {
  let nearest = resolve(folder)
  while (!isEntry(nearest)) nearest = dirname(nearest)
  try {
    // Tries to create a folder, because procfs has write permissions but accepts no files.
    rmdirSync(mkdtempSync(join(nearest, '.coffer-')))
  } catch (error) {
    const text = `lacks keys, which cannot be made here (${reasonOf(error)})`
    throw keyFault(folder, `${text}: bring them along, made by "coffer keys:create" elsewhere`)
  }
}

/** Replaces a key file (mode 0600) atomically. Throws SettingsError when that fails. */
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

/** Renames a key file over another one. Throws SettingsError when that fails. */
export function moveInPlace(from: string, path: string): void {
  try {
    renameSync(from, path)
  } catch (error) {
    throw keyFault(path, `cannot be replaced (${reasonOf(error)})`)
  }
  syncFolderOf(path)
}

/** Creates the error about the keys folder, or a file in it, that the operator sees at start. */
export function keyFault(path: string, text: string): SettingsError {
  return new SettingsError(`COFFER_KEYS_DIR: ${path} ${text}`)
}

/**
 * Creates missing folders one by one: mkdirSync with `recursive` loops forever in procfs, where
 * mkdir fails with ENOENT inside an existing folder.
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
    // Ignored, so that the caller can throw the error of the failed creation or replacement.
  }
}

/** Syncs the folder, so that a new key file survives a power failure like a committed row. */
function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Returns the start of Node's error text, `EACCES: permission denied`, without call and path. */
function reasonOf(error: unknown): string {
  return String((error as Error).message).split(',', 1)[0] ?? ''
}

/** Returns whether a directory entry with this path exists; true for a dangling symbolic link. */
export function isEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // The look-up fails if a parent of the path is a file, or a folder without access.
    return false
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
