import type { FastifyRequest } from 'fastify'

/**
 * Returns the `WWW-Authenticate` header of a 401 (RFC 9110, 11.6.1).
 *
 * CSRF: only clients that are not browsers get the scheme Basic. A browser would ask its user for
 * the API key and then attach it automatically, also to requests from pages of other sites. Writes
 * by key are not checked for CSRF (docs/security.md#who-may-do-what). Browsers ignore the scheme
 * Cookie (draft-broyer-http-cookie-auth).
 */
export function credentialChallenge(
  { headers }: FastifyRequest,
  route: { acceptsKeys: boolean; hasSession: boolean; cookieName: string },
): string {
  const { acceptsKeys, hasSession, cookieName } = route
  if (acceptsKeys && !hasSession && !isBrowser(headers)) {
    return 'Basic realm="Coffer", charset="UTF-8"'
  }
  return `Cookie realm="Coffer", cookie-name="${cookieName}"`
}

/**
 * Detects browsers by three headers, because each can be missing: `Sec-Fetch-*` over plain HTTP,
 * `Origin` on reads of the same site.
 */
function isBrowser(headers: FastifyRequest['headers']): boolean {
  return (
    'sec-fetch-mode' in headers ||
    headers.origin !== undefined ||
    /^Mozilla\//.test(headers['user-agent'] ?? '')
  )
}
