import type { AddressInfo } from 'node:net'
import { drainOf } from '@coffer/kit/service/drain'
import { buildApp } from './app.ts'
import type { AppDeps } from './deps.ts'

/** Timeout in ms of running requests after the process is asked to stop. */
const drainTimeoutMs = 10_000

// Maximum number of connections that are not accepted yet: Node accepts one per iteration of its
// event loop, which a busy process delays.
const backlog = 4_096

export interface GatewayOptions extends AppDeps {
  /** Port to listen on; 0 lets the system choose a free one. */
  port: number
  host: string
}

/** A running REST server. */
export interface Gateway extends AsyncDisposable {
  port: number
  /** Whether the port is open. */
  isListening: () => boolean
}

/**
 * Starts the REST server and returns its port. Disposal refuses new connections, lets running
 * requests finish within ten seconds, and closes sockets.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, host, draining, ...deps } = options
  const stopping = new AbortController()
  draining?.addEventListener('abort', () => stopping.abort(), { once: true })
  const app = await buildApp({ ...deps, draining: stopping.signal })
  const drain = drainOf(app.server)
  stopping.signal.addEventListener('abort', drain.begin, { once: true })
  await app.listen({ port, host, backlog })
  return {
    port: (app.server.address() as AddressInfo).port,
    isListening: () => app.server.listening,
    [Symbol.asyncDispose]: () => {
      stopping.abort()
      return drain.end({ close: () => app.close(), msMax: drainTimeoutMs })
    },
  }
}
