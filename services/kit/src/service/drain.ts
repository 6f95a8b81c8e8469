import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a new connection may take to send the first bytes once the server is closing. */
const firstBytesMs = 250

/** Ends an HTTP/1.1 server without failing a request that has reached it. */
export interface Drain {
  /** From now on every answer says `Connection: close`, so that clients move elsewhere. */
  begin: () => void
  /**
   * Closes idle connections beside what `close` closes, which stops listening and resolves when
   * every connection has ended. What still runs after `msMax` is cut off.
   */
  end: (options: { close: () => Promise<void>; msMax: number }) => Promise<void>
}

/** Prepares the drain of a server; to be called before it listens. */
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
    response.once('close', () => {
      running.delete(response)
      // An answer that had begun before the drain keeps its connection alive.
      if (isEnding) setImmediate(() => server.closeIdleConnections())
    })
  })
  const begin = (): void => {
    isDraining = true
    for (const response of running) response.shouldKeepAlive = false
  }
  const closeUnused = async (): Promise<void> => {
    await sleep(firstBytesMs, undefined, { ref: false })
    // Node counts a connection that has carried no request yet as busy.
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
