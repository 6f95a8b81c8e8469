import type { Log } from '@coffer/kit/service/log'
import type { FastifyInstance } from 'fastify'

/**
 * Logs one warning, at the first `X-Forwarded-For` from a peer that is not trusted. All clients
 * behind such a proxy share its address, and so its rate limits.
 */
export function warnOfUntrustedProxy(app: FastifyInstance, log: Log): void {
  let hasWarned = false
  app.addHook('onRequest', async ({ headers, ips, socket }) => {
    const isTrusted = ips !== undefined && ips.length > 1
    if (hasWarned || isTrusted || headers['x-forwarded-for'] === undefined) return
    hasWarned = true
    log.warn(
      { peer: socket.remoteAddress },
      'X-Forwarded-For of a peer that is not in COFFER_TRUSTED_PROXIES is ignored: ' +
        'its clients share one address and its limits',
    )
  })
}
