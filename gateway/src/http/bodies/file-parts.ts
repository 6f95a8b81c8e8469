import type { MessageInitShape } from '@bufbuild/protobuf'
import { isUnanswered, unanswered, unavailable } from '@coffer/kit/rpc/errors'
import type { FilePartSchema } from '@coffer/proto/ledger/v1/upload'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyRequest } from 'fastify'
import { hashOf } from '../idempotency.ts'
import type { Form } from './form.ts'

type FilePart = MessageInitShape<typeof FilePartSchema>

// The longest time that a request may take to arrive (30 s), and one that the ledger may take.
const timeoutMs = 36_000

/** How long the ledger may take for a part of a file, and for its answer in the end. */
const waitMs = 5_000

interface FileCall {
  params: { bankAccountId: string }
  body: Form
  request: Pick<FastifyRequest, 'method' | 'url'>
  writeOptions: CallOptions
}

/**
 * Hands the file of a form to the ledger. The client's time does not count: the call is given up
 * where the ledger takes nothing for five seconds, or does not answer for as long once it has all.
 * Throws unavailable while the ledger cannot have stored the file, unanswered after that.
 */
export async function sendFile<Reply>(
  call: FileCall,
  send: (parts: AsyncIterable<{ part: FilePart }>, options: CallOptions) => Promise<Reply>,
  ledgerWaitMs = waitMs,
): Promise<Reply> {
  const stop = new AbortController()
  let isWhole = false
  let timer: NodeJS.Timeout | undefined
  const waitForLedger = () => {
    const giveUp = () => stop.abort(unanswered('the ledger did not answer in time'))
    timer = setTimeout(giveUp, ledgerWaitMs).unref()
  }
  async function* timed() {
    clearTimeout(timer)
    for await (const part of fileParts(call)) {
      isWhole = part.part.of?.case === 'end'
      waitForLedger()
      yield part
      clearTimeout(timer)
    }
    waitForLedger()
  }
  waitForLedger()
  try {
    return await send(timed(), { ...call.writeOptions, timeoutMs, signal: stop.signal })
  } catch (error) {
    const reason = stop.signal.aborted ? stop.signal.reason : error
    throw !isWhole && isUnanswered(reason) ? notKept() : reason
  } finally {
    clearTimeout(timer)
  }
}

/** The ledger stores no file without its end. */
function notKept(): Error {
  return unavailable('the file was not taken in time, and nothing of it is kept: send it again')
}

/**
 * The file of a form in the parts in which the ledger takes it, each as it arrives: none of it is
 * gathered here. The end carries the hash of the whole request for its Idempotency-Key.
 */
async function* fileParts({
  params: { bankAccountId },
  body: { name, contentType, content },
  request: { method, url },
}: FileCall): AsyncGenerator<{ part: FilePart }> {
  const hash = hashOf([method, url, name, contentType])
  const start = { bankAccountId, name, contentType }
  yield { part: { of: { case: 'start', value: start } } }
  for await (const bytes of content) {
    hash.update(bytes)
    yield { part: { of: { case: 'bytes', value: bytes as Uint8Array<ArrayBuffer> } } }
  }
  yield { part: { of: { case: 'end', value: { bodyHash: hash.digest() } } } }
}
