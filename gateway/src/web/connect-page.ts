/** Paths of the document with Plaid Link: its begin, and the return from a bank's own sign-in. */
export const connectPaths = ['/links/connect', '/aggregator/oauth-return']

const plaidScript = 'https://cdn.plaid.com/link/v2/stable/link-initialize.js'

/** Servers of Plaid that its script calls. */
const plaidServers = 'https://production.plaid.com https://sandbox.plaid.com'

/** The document with Plaid Link, as the gateway sends it. */
interface ConnectPage {
  policy: string
  /** Returns the document with the URL of Plaid's script in its attribute. */
  fill: (page: string) => string
}

/**
 * Returns the document with Plaid Link for the URL of its script; an empty one is that of Plaid.
 * Plaid documents that origin for scripts and frames, styles without a nonce, and its servers for
 * calls. Trusted Types are left out of the CSP, because Plaid's script knows none.
 */
export function connectPage(scriptUrl: string): ConnectPage {
  // `href` has no quotes: URLs encode them.
  const { origin, href } = new URL(scriptUrl || plaidScript)
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${origin}`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: ${origin}`,
    `frame-src ${origin}`,
    `connect-src 'self' ${origin} ${plaidServers}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
  const fill = (page: string) => page.replace('data-script=""', () => `data-script="${href}"`)
  return { policy, fill }
}
