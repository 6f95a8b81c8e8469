/** Paths of the page with Plaid Link: its start, and the return from a bank's OAuth sign-in. */
export const connectPaths = ['/links/connect', '/aggregator/oauth-return']

const plaidScript = 'https://cdn.plaid.com/link/v2/stable/link-initialize.js'

/** Servers of Plaid that its script sends requests to. */
const plaidServers = 'https://production.plaid.com https://sandbox.plaid.com'

/** The page with Plaid Link, as the gateway serves it. */
interface ConnectPage {
  policy: string
  /** Returns the page with the URL of Plaid's script in an attribute. */
  fill: (page: string) => string
}

/**
 * Returns the page with Plaid Link for the URL of its script; empty for Plaid's own URL. By Plaid's
 * documentation, the CSP allows that origin for scripts and frames, inline styles, and Plaid's
 * servers for requests. It requires no Trusted Types, which Plaid's script does not support.
 */
export function connectPage(scriptUrl: string): ConnectPage {
  // `href` is safe in an attribute, because URLs encode quotes.
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
