import { forbidden } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'

/** CSRF: checks which pages may use a browser's session (docs/api.md#browsers-origins-and-cors). */
export interface Origins {
  /** Returns whether the origin is this host, the external URL, or an origin in the settings. */
  isOwn: (origin: string | undefined, request: Pick<FastifyRequest, 'host'>) => boolean
  /** Returns whether pages of the origin may read answers across origins (CORS). */
  isListed: (origin: string | undefined) => boolean
  /** Throws forbidden (403) for a request that a page of another origin caused. */
  refuseForeign: (request: FastifyRequest) => void
}

/**
 * Returns CSRF checks. They detect requests from pages of other origins by `Sec-Fetch-Site` (Fetch
 * Metadata) and `Origin` (RFC 6454). A request with neither header comes from no browser, or from
 * an older one, where `SameSite=Strict` withholds the cookie.
 */
export function createOrigins(config: { allowedOrigins: string[]; externalUrl: string }): Origins {
  const listed = new Set(config.allowedOrigins)
  const own = originOf(config.externalUrl)
  const isListed = (origin: string | undefined) => origin !== undefined && listed.has(origin)
  const isOwn: Origins['isOwn'] = (sent, { host }) => {
    const origin = originOf(sent ?? '')
    if (origin === null) return false
    return listed.has(origin) || origin === own || new URL(origin).host === host
  }
  return {
    isListed,
    isOwn,
    refuseForeign: (request) => {
      const { origin, 'sec-fetch-site': site } = request.headers
      if (origin === undefined && site === undefined) return
      if (site === 'same-origin' || site === 'none' || isOwn(origin, request)) return
      throw forbidden('pages of other origins need an API key or COFFER_ALLOWED_ORIGINS')
    },
  }
}

function originOf(url: string): string | null {
  return URL.canParse(url) && /^https?:/.test(url) ? new URL(url).origin : null
}
