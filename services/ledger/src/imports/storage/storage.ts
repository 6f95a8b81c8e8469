/** Which file: both IDs are the server's own, so no name of a client reaches a path. */
export interface FileKey {
  accountId: string
  fileId: string
}

/** Something that storage holds under a name of ours; `writtenAt` is when, by its clock. */
export interface StoredBytes {
  name: string
  /** Null for a draft: bytes whose writing came to no end. */
  key: FileKey | null
  writtenAt: Date
}

/** Where the bytes of uploaded files are while they are needed. Throws unavailable. */
export interface Storage {
  /**
   * Takes bytes as they come and returns once they would survive a loss of power; nobody ever reads
   * half of them. Where they break off nothing is kept, and what their source has thrown is thrown.
   */
  write: (key: FileKey, bytes: AsyncIterable<Uint8Array>) => Promise<void>
  /** All of a file, which is 6 MiB at most: parsers look ahead. Null where there is none. */
  read: (key: FileKey) => Promise<Uint8Array | null>
  /** Removes what is named so. What is not there is no fault. */
  remove: (name: string) => Promise<void>
  /** Some of what is held, in the order of names and after the one given. */
  list: (page: { after: string; limit: number }) => Promise<StoredPage>
  close: () => Promise<void>
}

/** `next` is the name that the next page begins after, null when there is none. */
export type StoredPage = { held: StoredBytes[]; next: string | null }

/** The name of a file's bytes; drafts have it with an ending. */
export function nameOf({ accountId, fileId }: FileKey): string {
  // Two characters that vary spread the files over a thousand folders.
  return `${fileId.slice(-2)}/${accountId}.${fileId}`
}

/** What a name that `nameOf` could have given stands for; null for any other name. */
export function namedBy(name: string): Pick<StoredBytes, 'name' | 'key'> | null {
  const [, accountId, fileId, ending] =
    /^\w{2}\/(acct_\w+)\.(file_\w+)(\.draft_\w+)?$/.exec(name) ?? []
  if (accountId === undefined || fileId === undefined) return null
  return { name, key: ending === undefined ? { accountId, fileId } : null }
}
