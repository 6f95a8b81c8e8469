import { forbidden } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'

/** Which pages may use a browser's session here. */
export interface Origins {
  /** Whether a page of that origin is ours, or of an origin in the settings. */
  isOwn: (origin: string | undefined, request: Pick<FastifyRequest, 'host'>) => boolean
  /** Whether a page of that origin may read what it asks for across origins. */
  isListed: (origin: string | undefined) => boolean
  /** Throws forbidden (403) where a page of another origin made the browser send the request. */
  refuseForeign: (request: FastifyRequest) => void
}

/**
 * Tells requests that a browser sends for pages of other origins (Fetch, Sec-Fetch-Site; RFC 6454).
 * What sends neither header is no browser, or one too old to send cookies with SameSite=Strict.
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
      throw forbidden('pages of other origins may not do this')
    },
  }
}

function originOf(url: string): string | null {
  return URL.canParse(url) && /^https?:/.test(url) ? new URL(url).origin : null
}
