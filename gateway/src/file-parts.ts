import type { MessageInitShape } from '@bufbuild/protobuf'
import type { FilePartSchema } from '@coffer/proto/ledger/v1/upload'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyRequest } from 'fastify'
import type { Form } from './form.ts'
import { hashOf } from './idempotency.ts'

type FilePart = MessageInitShape<typeof FilePartSchema>

// As long as a request may take to arrive (30 s), and as storing it may after that.
const timeoutMs = 50_000

/**
 * The file of a form in the parts in which the ledger takes it, each as it arrives: none of it is
 * gathered here. The end carries the hash of the whole request for its Idempotency-Key.
 */
export async function* fileParts({
  params: { bankAccountId },
  body: { name, contentType, content },
  request: { method, url },
}: {
  params: { bankAccountId: string }
  body: Form
  request: Pick<FastifyRequest, 'method' | 'url'>
}): AsyncGenerator<{ part: FilePart }> {
  const hash = hashOf([method, url, name, contentType])
  const start = { bankAccountId, name, contentType }
  yield { part: { of: { case: 'start', value: start } } }
  for await (const bytes of content) {
    hash.update(bytes)
    yield { part: { of: { case: 'bytes', value: bytes as Uint8Array<ArrayBuffer> } } }
  }
  yield { part: { of: { case: 'end', value: { bodyHash: hash.digest() } } } }
}

/** The options of a call that takes a file, which arrives as fast as its client sends it. */
export function fileOptions(options: CallOptions): CallOptions {
  return { ...options, timeoutMs }
}
