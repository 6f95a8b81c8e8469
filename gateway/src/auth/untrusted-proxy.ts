import type { Log } from '@coffer/kit/service/log'
import type { FastifyInstance } from 'fastify'

/**
 * Warns once, at the first `X-Forwarded-For` that is not believed: behind a proxy that is missing
 * in `COFFER_TRUSTED_PROXIES` all clients share its address, and so its limits.
 */
export function warnOfUntrustedProxy(app: FastifyInstance, log: Log): void {
  let hasWarned = false
  app.addHook('onRequest', async ({ headers, ips, socket }) => {
    const isBelieved = ips !== undefined && ips.length > 1
    if (hasWarned || isBelieved || headers['x-forwarded-for'] === undefined) return
    hasWarned = true
    log.warn(
      { peer: socket.remoteAddress },
      'X-Forwarded-For of a peer that is not in COFFER_TRUSTED_PROXIES is ignored: ' +
        'its clients share one address and its limits',
    )
  })
}
