import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep, setImmediate as untilRead } from 'node:timers/promises'

/** Time in ms after the end of listening for new connections to send their first bytes. */
const firstBytesMs = 1_000

/** Graceful shutdown of an HTTP/1.1 server: completes the requests that it has received. */
export interface Drain {
  /**
   * Adds `Connection: close` to all later responses, so that clients connect to another replica.
   */
  begin: () => void
  /**
   * Calls `close`, which stops listening and closes idle connections. Resolves when all connections
   * are closed; destroys the remaining ones after `msMax`.
   */
  end: (options: { close: () => Promise<void>; msMax: number }) => Promise<void>
}

/** Creates the graceful shutdown of a server; must be called before the server listens. */
export function drainOf(server: Server): Drain {
  const running = new Set<ServerResponse>()
  const connections = new Set<Duplex & { bytesRead?: number }>()
  let isDraining = false
  let isEnding = false
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  server.prependListener('request', (_request, response: ServerResponse) => {
    running.add(response)
    if (isDraining) response.shouldKeepAlive = false
    response.on('close', () => {
      running.delete(response)
      // A response whose headers were sent before `begin` leaves its connection open, so the
      // connection is closed here.
      if (isEnding) setImmediate(() => server.closeIdleConnections())
    })
  })
  const begin = (): void => {
    isDraining = true
    for (const response of running) response.shouldKeepAlive = false
  }
  const closeUnused = async (): Promise<void> => {
    await sleep(firstBytesMs, undefined, { ref: false })
    // Lets the event loop read received bytes first: if it is busy, the timer may be due before it
    // has read them, and a connection with a request would look unused.
    await untilRead()
    // Node treats a connection without any received bytes as busy, and would not close it.
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
  }
  return {
    begin,
    end: async ({ close, msMax }) => {
      begin()
      isEnding = true
      const closed = close()
      void closeUnused()
      const cut = setTimeout(() => {
        for (const connection of connections) connection.destroy()
      }, msMax)
      await closed
      clearTimeout(cut)
    },
  }
}
