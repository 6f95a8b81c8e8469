/** The members that the WebSockets of browsers, of Node.js 22 and of `ws` have in common. */
export interface Socket {
  close: () => void
  addEventListener: (
    type: 'open' | 'message' | 'close' | 'error',
    // biome-ignore lint/suspicious/noExplicitAny: the implementations have event types of their own
    listener: (event: any) => void,
  ) => void
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

/** How a socket is opened. */
interface Opening {
  open: () => Socket
  /** Returns why a socket did not open: the refusal of the server, or the error without one. */
  findReason: () => Promise<{ refusal?: unknown; cause?: unknown }>
}

/**
 * Yields the JSON frames of a socket until the server closes it with code 1000. Leaving the loop
 * closes the socket. Throws the refusal of the handshake, an error for every other close and for a
 * socket that is not open after `timeoutMs`, and the reason of `signal`.
 */
export async function* framesOf<Frame>(
  { open, findReason }: Opening,
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
  let isOpen = false
  let isFailing = false
  const fail = (error: Error) => {
    if (isOpen) return finish(error)
    if (isFailing) return
    isFailing = true
    findReason().then(({ refusal, cause }) => {
      // The error of the GET is the cause: WebSockets do not tell why they failed.
      error.cause = cause ?? error.cause
      finish(refusal ?? error)
    }, finish)
  }
  socket.addEventListener('open', () => {
    clearTimeout(timer)
    isOpen = true
    new Promise((resolve) => resolve(onOpen?.())).catch(finish)
  })
  socket.addEventListener('message', ({ data }) => {
    try {
      frames.push(JSON.parse(String(data)))
      wake()
    } catch (cause) {
      finish(new Error('The socket sent a frame that is not JSON.', { cause }))
    }
  })
  socket.addEventListener('error', ({ message, error }) => {
    fail(new Error(`The socket failed: ${message || 'no connection'}`, { cause: error }))
  })
  socket.addEventListener('close', ({ code }) => {
    if (code === closedWell) finish()
    else fail(new Error(`The socket was closed with code ${code}.`))
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
