import { CofferError } from './coffer-error.ts'

/** The part of a WebSocket that is used here: that of browsers, of Node.js 22 and of `ws`. */
export interface Socket {
  close: () => void
  addEventListener: (
    type: 'open' | 'message' | 'close' | 'error',
    // biome-ignore lint/suspicious/noExplicitAny: the implementations have event types of their own
    listener: (event: any) => void,
  ) => void
  /** Of `ws` alone: shows the answer to a refused handshake. */
  on?: (
    type: 'unexpected-response',
    // biome-ignore lint/suspicious/noExplicitAny: types of Node.js, which browsers do not have
    listener: (request: any, answer: any) => void,
  ) => unknown
}

/** A constructor of WebSockets; `headers` are passed only outside of browsers. */
export type SocketClass = new (
  url: string,
  // biome-ignore lint/suspicious/noExplicitAny: browsers know protocols alone, not headers
  options?: any,
) => Socket

/** Options of each socket, besides those of its operation. */
export interface WatchOptions {
  /**
   * Called once the socket is open, for example to start the job that it shows. If it throws or
   * rejects, the loop ends with this error.
   */
  onOpen?: () => unknown
  /** Time until the socket is open, in ms. Replaces the timeout of the client. */
  timeoutMs?: number
  signal?: AbortSignal
}

const closedWell = 1000

/**
 * Yields the JSON frames of a socket until the server closes it with code 1000. Leaving the loop
 * closes the socket. Throws `CofferError` for a refused handshake if the implementation shows the
 * answer, an error for every other close and for a socket that is not open after `timeoutMs`, and
 * the reason of `signal`.
 */
export async function* framesOf<Frame>(
  open: () => Socket,
  { onOpen, timeoutMs, signal }: WatchOptions & { timeoutMs: number },
): AsyncGenerator<Frame, void, void> {
  signal?.throwIfAborted()
  const frames: Frame[] = []
  let end: { error?: unknown } | undefined
  let wake = () => {}
  const finish = (error?: unknown) => {
    end ??= error === undefined ? {} : { error }
    wake()
  }
  const socket = open()
  const timer = setTimeout(() => {
    finish(new DOMException('The socket did not open in time.', 'TimeoutError'))
  }, timeoutMs)
  const stop = () => finish(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  socket.addEventListener('open', () => {
    clearTimeout(timer)
    new Promise((resolve) => resolve(onOpen?.())).catch(finish)
  })
  socket.addEventListener('message', ({ data }) => {
    frames.push(JSON.parse(String(data)))
    wake()
  })
  socket.addEventListener('error', ({ message, error }) => {
    finish(new Error(`The socket failed: ${message || 'no connection'}`, { cause: error }))
  })
  socket.addEventListener('close', ({ code }) => {
    const isDone = code === closedWell
    finish(isDone ? undefined : new Error(`The socket was closed with code ${code}.`))
  })
  socket.on?.('unexpected-response', (_request, answer) => {
    refusalOf(answer).then(finish, finish)
  })
  try {
    for (;;) {
      const frame = frames.shift()
      if (frame !== undefined) yield frame
      else if (end) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    if ('error' in end) throw end.error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    socket.close()
  }
}

/** The part of Node's `IncomingMessage` that is used here. */
type RefusedHandshake = AsyncIterable<Uint8Array> & {
  statusCode: number
  headers: Record<string, string | string[] | undefined>
}

async function refusalOf(answer: RefusedHandshake): Promise<CofferError> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of answer) chunks.push(new Uint8Array(chunk))
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
  const response = new Response(new Blob(chunks), {
    status: answer.statusCode,
    headers: headers as [string, string][],
  })
  const text = await response.text()
  return new CofferError(response, parsed(text))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
