import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '@coffer/kit/values/id'
import { nameOf, parseName, type Storage, type StoredBytes } from './storage.ts'

/**
 * Returns a storage in a local folder that only the process's user may access. Atomic writes: a
 * file is written under the name of a draft, and renamed once it is complete.
 */
export function createDiskStorage(folder: string): Storage {
  return {
    write: async (key, bytes) => {
      const path = join(folder, nameOf(key))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${newId('draft')}`
      try {
        await writeWhole(draft, bytes)
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await syncFolder(dirname(path))
    },
    read: (key) => unlessMissing(readFile(join(folder, nameOf(key)))),
    remove: (name) => rm(join(folder, name), { force: true }),
    list: async ({ after, limit }) => {
      const held: StoredBytes[] = []
      for (const shard of await entriesOf(folder)) {
        if (shard < after.slice(0, shard.length)) continue
        for (const entry of await entriesOf(join(folder, shard))) {
          const named = parseName(`${shard}/${entry}`)
          if (named === null || named.name <= after) continue
          const status = await unlessMissing(stat(join(folder, named.name)))
          if (status) held.push({ ...named, writtenAt: status.mtime })
          if (held.length === limit) return { held, next: named.name }
        }
      }
      return { held, next: null }
    },
    close: async () => {},
  }
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Runs fsync on a folder: otherwise a loss of power may undo a rename in the folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  return ((await unlessMissing(readdir(folder))) ?? []).sort()
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
