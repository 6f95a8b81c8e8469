import { say } from '@coffer/kit/reasons/reasons'
import { forbidden } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'

/** CSRF checks of the origin of a request (docs/api.md#browsers-origins-and-cors). */
export interface Origins {
  /**
   * Throws forbidden (403) with `text` unless `Origin` is this server, the external URL, or in the
   * settings.
   */
  requireOwn: (request: FastifyRequest, text: string) => void
  /** Returns whether pages of the origin may read answers across origins (CORS). */
  isListed: (origin: string | undefined) => boolean
  /** Throws forbidden (403) if a page of another origin caused the request. */
  refuseForeign: (request: FastifyRequest) => void
}

const otherScheme = say('SCHEME_DIFFERS')

/**
 * Returns CSRF checks. They detect requests from pages of other origins by `Sec-Fetch-Site` (Fetch
 * Metadata) and `Origin` (RFC 6454). A request with neither header comes from no browser, or from
 * an older one, where `SameSite=Strict` withholds the cookie.
 */
export function createOrigins(config: { allowedOrigins: string[]; externalUrl: string }): Origins {
  const listed = new Set(config.allowedOrigins)
  const external = readOrigin(config.externalUrl)
  const isListed = (origin: string | undefined) => origin !== undefined && listed.has(origin)
  /**
   * Origin of the server as the browser sees it. For the host of the external URL, its scheme
   * applies: TLS may end at a proxy.
   */
  const ownOrigin = ({ protocol, host }: FastifyRequest) => {
    const seen = readOrigin(`${protocol}://${host}`)
    return seen?.host === external?.host ? external : seen
  }
  const requireOwn: Origins['requireOwn'] = (request, text) => {
    const sent = readOrigin(request.headers.origin ?? '')
    const own = ownOrigin(request)
    const accepted = [...listed, external?.origin, own?.origin]
    if (sent !== null && accepted.includes(sent.origin)) return
    throw forbidden(sent !== null && sent.host === own?.host ? otherScheme : text)
  }
  return {
    isListed,
    requireOwn,
    refuseForeign: (request) => {
      const { origin, 'sec-fetch-site': site } = request.headers
      if (origin === undefined && site === undefined) return
      if (site === 'same-origin' || site === 'none') return
      requireOwn(request, say('ORIGIN_REFUSED'))
    },
  }
}

function readOrigin(url: string): URL | null {
  return URL.canParse(url) && /^https?:/i.test(url) ? new URL(url) : null
}
