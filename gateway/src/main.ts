import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AppDeps, buildApp } from './app.ts'

/** How long running requests may take once the gateway is asked to stop. */
const drainMs = 10_000

// Node takes one new connection in each turn of its loop: while that is busy, many may wait.
const backlog = 4_096

/**
 * Starts the REST server. `port` 0 picks one. Disposing refuses new requests, lets running ones
 * finish for ten seconds, and closes sockets.
 */
export async function startGateway(
  options: AppDeps & { port: number; host: string },
): Promise<AsyncDisposable & { port: number }> {
  const { port, host, ...deps } = options
  const app = await buildApp(deps)
  await app.listen({ port, host, backlog })
  return {
    port: (app.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const stop = new AbortController()
      const late = sleep(drainMs, undefined, { signal: stop.signal }).then(
        () => app.server.closeAllConnections(),
        () => undefined,
      )
      await app.close()
      stop.abort()
      await late
    },
  }
}
