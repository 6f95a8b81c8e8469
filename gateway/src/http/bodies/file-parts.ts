import type { MessageInitShape } from '@bufbuild/protobuf'
import { say } from '@coffer/kit/reasons/reasons'
import { unanswered, unavailable } from '@coffer/kit/rpc/errors'
import type {
  FileEndSchema,
  FilePartSchema,
  ReadingChoicesSchema,
} from '@coffer/proto/ledger/v1/upload'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyRequest } from 'fastify'
import { isUnanswered } from '../errors/errors.ts'
import { hashOf } from '../idempotency.ts'
import type { Form } from './form.ts'

type FilePart = MessageInitShape<typeof FilePartSchema>
type FileEnd = MessageInitShape<typeof FileEndSchema>

// Timeout of the RPC: the request timeout (30 s), the timeout of the ledger's reply (5 s) and 1 s.
const timeoutMs = 36_000

/** Timeout of the ledger for each part of a file, and for its reply at the end. */
const defaultLedgerTimeoutMs = 5_000

interface FileCall {
  /** ID of the bank account; undefined for a file of several bank accounts. */
  params: { bankAccountId?: string }
  body: Form
  request: Pick<FastifyRequest, 'method' | 'url'>
  writeOptions: CallOptions
  /** Choices of the client for parsing the file. */
  choices?: MessageInitShape<typeof ReadingChoicesSchema>
  /** Whether the file is only parsed, and nothing stored. */
  preview?: boolean
  /** Parses the remaining parts of the form, after the file. Throws invalid. */
  parseParts?: (form: Form) => Pick<FileEnd, 'statements' | 'joins'>
}

/**
 * Streams the file of a form to the ledger and returns the reply. The gateway waits for the ledger
 * for 5 s per part, and 5 s for the reply. Time spent waiting for the client does not count. Throws
 * unavailable before the end of the file is sent (the ledger stored nothing), unanswered after the
 * end is sent.
 */
export async function sendFile<Reply>(
  call: FileCall,
  send: (parts: AsyncIterable<{ part: FilePart }>, options: CallOptions) => Promise<Reply>,
  ledgerTimeoutMs = defaultLedgerTimeoutMs,
): Promise<Reply> {
  const stop = new AbortController()
  let isWhole = false
  let timer: NodeJS.Timeout | undefined
  const startTimer = () => {
    const giveUp = () => stop.abort(unanswered('the ledger did not answer in time'))
    timer = setTimeout(giveUp, ledgerTimeoutMs).unref()
  }
  async function* timed() {
    clearTimeout(timer)
    for await (const part of fileParts(call)) {
      isWhole = part.part.of?.case === 'end'
      startTimer()
      yield part
      clearTimeout(timer)
    }
    startTimer()
  }
  startTimer()
  try {
    return await send(timed(), { ...call.writeOptions, timeoutMs, signal: stop.signal })
  } catch (error) {
    const reason = stop.signal.aborted ? stop.signal.reason : error
    throw !isWhole && isUnanswered(reason) ? notKept() : reason
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a 503: the ledger stores no incomplete file, so the client may repeat the request. */
function notKept(): Error {
  return unavailable(say('FILE_LATE'))
}

/**
 * Streams the file of a form in the parts of the RPC, with backpressure: no part is buffered here.
 * The last part carries the hash of the whole request for its idempotency key.
 */
async function* fileParts({
  params: { bankAccountId = '' },
  body,
  request: { method, url },
  choices,
  preview = false,
  parseParts,
}: FileCall): AsyncGenerator<{ part: FilePart }> {
  const { name, contentType, content } = body
  const hash = hashOf([method, url, name, contentType])
  const start = { bankAccountId, name, contentType, preview, ...(choices ? { choices } : {}) }
  yield { part: { of: { case: 'start', value: start } } }
  for await (const bytes of content) {
    hash.update(bytes)
    yield { part: { of: { case: 'bytes', value: bytes as Uint8Array<ArrayBuffer> } } }
  }
  const parts = parseParts?.(body) ?? {}
  const lists: readonly object[][] = Object.values(parts)
  if (lists.some((list) => list.length > 0)) hash.update(JSON.stringify(lists))
  yield { part: { of: { case: 'end', value: { bodyHash: hash.digest(), ...parts } } } }
}
