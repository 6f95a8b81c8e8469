import type { FileKey } from './stored-file.ts'

/** An object in storage; `writtenAt` is from the clock of the storage. */
export interface StoredBytes {
  name: string
  /** The key of the file; null for a draft, which is an unfinished write. */
  key: FileKey | null
  writtenAt: Date
}

/** Storage for the bytes of files until their import. Methods throw `unavailable` on failure. */
export interface Storage {
  /**
   * Writes a file atomically and durably: readers never see a part of it, and it survives a loss of
   * power. If `bytes` throws, nothing is stored and the error is thrown.
   */
  write: (key: FileKey, bytes: AsyncIterable<Uint8Array>) => Promise<void>
  /** Returns a whole file, at most 6 MiB, or null if it does not exist. */
  read: (key: FileKey) => Promise<Uint8Array | null>
  /** Removes an object, if it exists. */
  remove: (name: string) => Promise<void>
  /** Returns a page of the objects, ordered by name, that come after the name `after`. */
  list: (page: { after: string; limit: number }) => Promise<StoredPage>
  close: () => Promise<void>
}

/** A page of objects; `next` is the name to pass as `after`, null on the last page. */
export type StoredPage = { held: StoredBytes[]; next: string | null }

/** Returns the name of a file in storage; a draft (an unfinished write) has a suffix after it. */
export function nameOf({ accountId, fileId }: FileKey): string {
  // Sharding: two random characters of the ID spread the files over about a thousand folders.
  return `${fileId.slice(-2)}/${accountId}.${fileId}`
}

/** Parses the name of a file (`nameOf`) or of a draft; null for any other name. */
export function parseName(name: string): Pick<StoredBytes, 'name' | 'key'> | null {
  const [, accountId, fileId, ending] =
    /^\w{2}\/(acct_\w+)\.(file_\w+)(\.draft_\w+)?$/.exec(name) ?? []
  if (accountId === undefined || fileId === undefined) return null
  return { name, key: ending === undefined ? { accountId, fileId } : null }
}
