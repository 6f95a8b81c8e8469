import { refused } from '@coffer/kit/rpc/errors'
import type { FilePart } from '@coffer/proto/ledger/v1/upload'

/** Bytes that a file may have (spec/identity.md 1.4). */
export const fileSizeMax = 6 * 1024 * 1024

/** A little more than anybody looks at to tell what a file is. */
const headLength = 65_537

/** What is known of a file once all of it is there; `size` in bytes. */
export interface FileTotals {
  size: bigint
  bodyHash: Buffer
}

/** A file that is on its way, part by part. */
export interface IncomingFile {
  bankAccountId: string
  /** The client's name for it. */
  name: string
  contentType: string
  /** Its first bytes, 64 KiB at least where it has as many. */
  head: Uint8Array
  /** All of its bytes, once. Throws refused where they are too many (413) or break off. */
  bytes: AsyncIterable<Uint8Array>
  /** Reads what nobody has read yet. Throws like `bytes`. */
  finish: () => Promise<FileTotals>
}

/**
 * Takes a file in, its head at first: no more than that is held at any time. A file without its end
 * is none. Throws refused.
 */
export async function receiveFile(
  parts: AsyncIterable<{ part?: FilePart | undefined }>,
): Promise<IncomingFile> {
  const source = parts[Symbol.asyncIterator]()
  const next = async (): Promise<FilePart['of']> => {
    const { done, value } = await source.next()
    return (done ? undefined : value.part?.of) ?? { case: undefined }
  }
  const start = await next()
  if (start.case !== 'start') throw refused('a file must begin with what it is')
  const { bankAccountId, name, contentType } = start.value
  const read = { size: 0, bodyHash: null as Buffer | null }
  const rest = restOf(next, read)
  const head = await headOf(rest)
  return {
    ...{ bankAccountId, name, contentType, head },
    bytes: joined(head, rest),
    finish: async () => {
      while (!(await rest.next()).done);
      if (read.bodyHash === null) throw brokenOff()
      return { size: BigInt(read.size), bodyHash: read.bodyHash }
    },
  }
}

async function* restOf(
  next: () => Promise<FilePart['of']>,
  read: { size: number; bodyHash: Buffer | null },
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const part = await next()
    if (part.case === 'end') {
      read.bodyHash = Buffer.from(part.value.bodyHash)
      return
    }
    if (part.case !== 'bytes') throw brokenOff()
    read.size += part.value.length
    if (read.size > fileSizeMax) throw refused('the file is larger than 6 MiB', { status: 413 })
    yield part.value
  }
}

async function headOf(rest: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < headLength) {
    const { done, value } = await rest.next()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  return Buffer.concat(chunks)
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield head
  yield* rest
}

function brokenOff() {
  return refused('the file breaks off')
}
