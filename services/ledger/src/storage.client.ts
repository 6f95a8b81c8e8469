import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '@coffer/kit/id'

/** Which file: both IDs are the server's own, so no name of a client reaches a path. */
export interface FileKey {
  accountId: string
  fileId: string
}

/** Where the bytes of uploaded files are while they are needed. */
export interface Storage {
  /** Returns once the bytes would survive a loss of power. */
  write: (key: FileKey, bytes: Uint8Array) => Promise<void>
  /** Null where there is no such file. */
  read: (key: FileKey) => Promise<Buffer | null>
  /** Removing what is not there is no fault. */
  remove: (key: FileKey) => Promise<void>
}

/** Files in a folder, readable by this user alone: `<last two>/<account>/<file>`. */
export function openStorage(folder: string): Storage {
  const pathOf = ({ accountId, fileId }: FileKey) =>
    join(folder, accountId.slice(-2), accountId, fileId)
  return {
    write: async (key, bytes) => {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${newId('draft')}`
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    },
    read: async (key) => {
      try {
        return await readFile(pathOf(key))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  }
}
