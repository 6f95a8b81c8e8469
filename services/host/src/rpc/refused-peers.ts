import type { TLSSocket, Server as TlsServer } from 'node:tls'
import type { Log } from '@coffer/kit/service/log'
import { countRefusedPeers } from '../metrics.ts'

/** Minimum time in ms between two log lines about refused peers. */
const quietMs = 60_000

/**
 * Counts the connections that a server refuses in the handshake of mutual TLS, and logs one of them
 * a minute. Connections that end without a handshake, such as probes of TCP, are not counted.
 */
export function watchRefusedPeers(server: TlsServer, log: Log | null): void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let count = 0
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const reason = socket.authorizationError ? String(socket.authorizationError) : error.code
    if (reason === undefined || reason === 'ECONNRESET') return
    countRefusedPeers(1)
    count += 1
    if (performance.now() - loggedAt < quietMs) return
    loggedAt = performance.now()
    log?.warn(
      { reason, peer: socket.remoteAddress, count },
      'refused a peer without our certificate',
    )
    count = 0
  })
}
