import type { FastifyRequest } from 'fastify'
import type { Origins } from '../auth/origins.ts'
import { isBasic } from '../auth/session.ts'
import { createConcurrencyLimiter } from '../http/concurrency-limiter.ts'
import { whenClosed } from './close-signal.ts'

/** Maximum number of sockets per account; a browser needs one for each upload that it shows. */
const socketsPerAccountMax = 20

export interface Sockets {
  /** Throws forbidden (403) for a handshake from a page of another origin. */
  requireOwnOrigin: (request: FastifyRequest) => void
  /**
   * Counts the connection of a handshake until it closes; a refused connection is closed. Throws
   * refused (429) or unavailable (503) at the limits, also for a GET without an upgrade, which is
   * not counted. Call it before any await, so that concurrent handshakes are counted.
   */
  hold: (request: FastifyRequest, accountId: string) => void
}

/** Returns admission control of sockets: the page's origin and limits (docs/api.md#sockets). */
export function createSockets({ socketsMax }: { socketsMax: number }, origins: Origins): Sockets {
  const text = 'too many open sockets: close one first'
  const limiter = createConcurrencyLimiter({
    max: socketsMax,
    perAccountMax: socketsPerAccountMax,
    text,
  })
  return {
    requireOwnOrigin: (request) => {
      const { origin, authorization } = request.headers
      // CSRF: browsers always send `Origin`. A client with a key but no `Origin` is no browser.
      const isByClient = origin === undefined && isBasic(authorization)
      const text = 'open sockets from a page of this origin, or with an API key and no Origin'
      if (!isByClient) origins.requireOwn(request, text)
    },
    hold: ({ ws: isHandshake, raw }, accountId) => {
      const release = limiter.acquire(accountId)
      if (isHandshake) whenClosed(raw.socket, release)
      else release()
    },
  }
}
