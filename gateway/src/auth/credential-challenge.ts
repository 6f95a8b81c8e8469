import type { FastifyRequest } from 'fastify'

/**
 * The `WWW-Authenticate` of a 401 (RFC 9110, 11.6.1): which credential is asked for.
 *
 * Basic goes to clients that are no browsers, only. A browser asks its user for the key, and from
 * then on attaches it to every request, those of other sites' pages too: an API key would become
 * an ambient credential, against which writes by key have no protection (`docs/security.md`).
 * Browsers ignore the scheme Cookie (draft-broyer-http-cookie-auth), which says what they need.
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

/** Browsers say so: `Sec-Fetch-*` is missing over plain HTTP, `Origin` on reads of the own site. */
function isBrowser(headers: FastifyRequest['headers']): boolean {
  return (
    'sec-fetch-mode' in headers ||
    headers.origin !== undefined ||
    /^Mozilla\//.test(headers['user-agent'] ?? '')
  )
}
