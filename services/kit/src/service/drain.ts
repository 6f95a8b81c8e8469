import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time in ms that a new connection has for its first bytes once the server closes. */
const firstBytesMs = 250

/** Graceful shutdown of an HTTP/1.1 server: requests that have reached it are completed. */
export interface Drain {
  /** Adds `Connection: close` to all further answers, so that clients reconnect elsewhere. */
  begin: () => void
  /**
   * Calls `close`, which stops listening, and closes idle connections. Resolves when all
   * connections have ended; cuts the others off after `msMax`.
   */
  end: (options: { close: () => Promise<void>; msMax: number }) => Promise<void>
}

/** Creates the drain of a server; call it before the server listens. */
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
      // An answer whose header was sent before the drain keeps its connection alive.
      if (isEnding) setImmediate(() => server.closeIdleConnections())
    })
  })
  const begin = (): void => {
    isDraining = true
    for (const response of running) response.shouldKeepAlive = false
  }
  const closeUnused = async (): Promise<void> => {
    await sleep(firstBytesMs, undefined, { ref: false })
    // Node counts a connection without a request as busy, and keeps it open.
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
