import type { FileKey } from './stored-file.ts'

/** An object in storage; `writtenAt` is by the clock of the storage. */
export interface StoredBytes {
  name: string
  /** The key of the file; null for a draft, which is an unfinished write. */
  key: FileKey | null
  writtenAt: Date
}

/**
 * Storage for the bytes of uploaded files until they are imported. Methods throw `unavailable` if
 * the storage fails.
 */
export interface Storage {
  /**
   * Writes a file, atomically and durably: returns once the bytes survive a loss of power, and no
   * reader sees a part of them. If the source throws, nothing is stored and its error is thrown.
   */
  write: (key: FileKey, bytes: AsyncIterable<Uint8Array>) => Promise<void>
  /**
   * Returns a whole file (at most 6 MiB, which parsers need at once), or null if it does not exist.
   */
  read: (key: FileKey) => Promise<Uint8Array | null>
  /** Removes an object; a missing one is no error. */
  remove: (name: string) => Promise<void>
  /** Returns a page of the objects, ordered by name, after the name `after`. */
  list: (page: { after: string; limit: number }) => Promise<StoredPage>
  close: () => Promise<void>
}

/** `next` is the name after which the next page begins; null on the last page. */
export type StoredPage = { held: StoredBytes[]; next: string | null }

/** Returns the name of a file's object; a draft has a suffix. */
export function nameOf({ accountId, fileId }: FileKey): string {
  // Sharding: the two random characters spread the files over about a thousand folders.
  return `${fileId.slice(-2)}/${accountId}.${fileId}`
}

/** Parses a name that `nameOf` returns, or the name of a draft; null for any other name. */
export function parseName(name: string): Pick<StoredBytes, 'name' | 'key'> | null {
  const [, accountId, fileId, ending] =
    /^\w{2}\/(acct_\w+)\.(file_\w+)(\.draft_\w+)?$/.exec(name) ?? []
  if (accountId === undefined || fileId === undefined) return null
  return { name, key: ending === undefined ? { accountId, fileId } : null }
}
