import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { FilePart } from '@coffer/proto/ledger/v1/upload'
import { type ReadingChoices, requireChoices } from './formats/reading-choices.ts'
import { type NamedJoin, requireJoins } from './joining/row-joins.ts'
import { type Mapping, mappingsOf } from './several/upload-group.ts'

/** Maximum size of a file in bytes (docs/limits.md). */
export const fileSizeMax = 6 * 1024 * 1024

/**
 * Minimum length of the head in bytes. It is one more than 64 KiB, because only then the detection
 * of CSV columns knows that the file goes on, and ignores the last line, which may be cut.
 */
const headLength = 65_537

/** Size of a received file in bytes; `bodyHash` is the SHA-256 of the request, for idempotency. */
interface FileTotals {
  size: bigint
  bodyHash: Buffer
  /** For a file of several accounts: the bank account into which each of them is imported. */
  statements: Mapping[]
  /** Rows that the client joins to stored transactions, instead of importing them as new ones. */
  joins: NamedJoin[]
}

/** A file that is received as a stream of parts. */
export interface IncomingFile {
  bankAccountId: string
  /** The file's name, as the client sent it. */
  name: string
  contentType: string
  /** The client's choices of how to read the file, such as its encoding. */
  choices: ReadingChoices
  /** Whether the file is only read, and nothing of it stored. */
  isPreview: boolean
  /** The first bytes: more than 64 KiB, or all of a smaller file. */
  head: Uint8Array
  /** All bytes, readable once. Throws `refused` if the file is above 6 MiB (413) or incomplete. */
  bytes: AsyncIterable<Uint8Array>
  /** Reads the remaining bytes and returns the totals. Throws the same errors as `bytes`. */
  finish: () => Promise<FileTotals>
}

/**
 * Receives the head of a file and streams the rest, so that memory never holds a whole file. Throws
 * `refused` if the first part has no file name, and `invalid` for unknown choices. A file without
 * an end part is incomplete.
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
  if (start.case !== 'start') {
    throw refused('the first part must be the start part, with the name of the file')
  }
  const { bankAccountId, name, contentType, preview: isPreview } = start.value
  const choices = requireChoices(start.value.choices)
  const read: Read = { size: 0, end: null }
  const rest = restOf(next, read)
  const head = await headOf(rest)
  return {
    bankAccountId,
    name,
    contentType,
    choices,
    isPreview,
    head,
    bytes: joined(head, rest),
    finish: async () => {
      while (!(await rest.next()).done);
      if (read.end === null) throw brokenOff()
      return { size: BigInt(read.size), ...read.end }
    },
  }
}

type Read = { size: number; end: Omit<FileTotals, 'size'> | null }

async function* restOf(
  next: () => Promise<FilePart['of']>,
  read: Read,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const part = await next()
    if (part.case === 'end') {
      const { bodyHash, statements, joins } = part.value
      read.end = {
        bodyHash: Buffer.from(bodyHash),
        statements: mappingsOf(statements),
        joins: requireJoins(joins),
      }
      return
    }
    if (part.case !== 'bytes') throw brokenOff()
    read.size += part.value.length
    if (read.size > fileSizeMax) throw refused(say('FILE_TOO_LARGE'), { status: 413 })
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

/** Returns all bytes of a received file. */
export async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Yields the bytes as a stream of one chunk. */
export async function* onlyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield head
  yield* rest
}

function brokenOff() {
  return refused(say('FILE_INCOMPLETE'))
}
