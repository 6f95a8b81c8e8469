import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  FilePartSchema,
  ReadingChoicesSchema,
  RowJoinSchema,
} from '@coffer/proto/ledger/v1/upload'

type Part = { part: MessageInitShape<typeof FilePartSchema> }

export interface SentFile {
  bankAccountId: string
  name: string
  contentType?: string
  content: Uint8Array
  choices?: MessageInitShape<typeof ReadingChoicesSchema>
  preview?: boolean
  joins?: MessageInitShape<typeof RowJoinSchema>[]
  /** Hash of the body of the request; it is stored with the Idempotency-Key of the request. */
  bodyHash?: Uint8Array
}

export async function* partsOf(sent: SentFile): AsyncGenerator<Part> {
  const { content, bodyHash = [1], joins = [], ...start } = sent
  yield { part: { of: { case: 'start', value: start } } }
  for await (const value of bytesOf(content)) yield { part: { of: { case: 'bytes', value } } }
  const value = { bodyHash: new Uint8Array(bodyHash), joins }
  yield { part: { of: { case: 'end', value } } }
}

/** Yields bytes in chunks of at most 64 KiB. */
export async function* bytesOf(content: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < content.length; at += 65_536) {
    yield new Uint8Array(content.subarray(at, at + 65_536))
  }
}
