import type { Answer } from './answer.ts'
import { CofferError, mediaTypeOf } from './coffer-error.ts'

/** Media type of server-sent events. */
export const eventStream = 'text/event-stream'

/** Time in ms without a byte after which a stream is lost: the server comments every 20 s. */
const silentMsMax = 45_000

/** Returns a TimeoutError, as `AbortSignal.timeout` creates it. */
export function timeoutError(text = 'The call was ended by its timeout.'): DOMException {
  return new DOMException(text, 'TimeoutError')
}

/**
 * Yields the JSON of the server-sent events of an answer until it ends (WHATWG HTML 9.2.6). Leaving
 * the loop closes the connection, and so does `signal`. Throws the reason of `signal`, a
 * CofferError for an answer of another type, a TimeoutError after 45 s of silence, and the error of
 * fetch after a lost connection.
 */
export async function* messagesOf(
  open: () => Promise<Answer<unknown>>,
  { signal, silentMs = silentMsMax }: { signal?: AbortSignal | undefined; silentMs?: number } = {},
): AsyncGenerator<unknown, void, void> {
  const { response, data } = await open()
  if (mediaTypeOf(response) !== eventStream) throw new CofferError(response, await response.text())
  const reader = (data as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  // Node.js may garbage-collect the signals between `signal` and the request. Then an abort would
  // not end the request, so it cancels the reader too.
  const stop = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await heard(reader.read(), silentMs)
      signal?.throwIfAborted()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const text = dataOf(block)
        if (text !== '') yield JSON.parse(text)
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** Returns the data of an event; empty for a comment and for a `retry` field. */
function dataOf(block: string): string {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
}

async function heard<T>(reading: Promise<T>, silentMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError('The stream is silent.')), silentMs)
  })
  try {
    return await Promise.race([reading, silence])
  } finally {
    clearTimeout(timer)
  }
}
