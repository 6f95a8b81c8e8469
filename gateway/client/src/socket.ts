/** The part of a WebSocket that is used here: that of browsers, of Node.js 22 and of `ws`. */
export interface Socket {
  close: () => void
  addEventListener: (
    type: 'message' | 'close' | 'error',
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

const closedWell = 1000

/**
 * Yields the JSON frames of a socket until the server closes it with code 1000. Leaving the loop
 * closes the socket. Throws an error for every other close, and the reason of `signal`.
 */
export async function* framesOf<Frame>(
  open: () => Socket,
  signal?: AbortSignal,
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
  const stop = () => finish(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
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
  try {
    for (;;) {
      const frame = frames.shift()
      if (frame !== undefined) yield frame
      else if (end) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    if ('error' in end) throw end.error
  } finally {
    signal?.removeEventListener('abort', stop)
    socket.close()
  }
}
