import type { AddressInfo } from 'node:net'
import { drainOf } from '@coffer/kit/service/drain'
import { type AppDeps, buildApp } from './app.ts'

/** How long running requests may take once the gateway is asked to stop. */
const drainMs = 10_000

// Node takes one new connection in each turn of its loop: while that is busy, many may wait.
const backlog = 4_096

export interface GatewayOptions extends AppDeps {
  /** 0 picks one. */
  port: number
  host: string
  /** Aborts when the process is told to stop: answers close their connections from then on. */
  draining?: AbortSignal
}

/**
 * Starts the REST server. Disposing refuses new connections, lets running requests finish for ten
 * seconds, and closes sockets.
 */
export async function startGateway(
  options: GatewayOptions,
): Promise<AsyncDisposable & { port: number }> {
  const { port, host, draining, ...deps } = options
  const app = await buildApp(deps)
  const drain = drainOf(app.server)
  draining?.addEventListener('abort', drain.begin, { once: true })
  await app.listen({ port, host, backlog })
  return {
    port: (app.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => drain.end({ close: () => app.close(), msMax: drainMs }),
  }
}
