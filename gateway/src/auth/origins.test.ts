import { expect, test } from '@jest/globals'
import type { FastifyRequest } from 'fastify'
import { createOrigins } from './origins.ts'

const config = {
  externalUrl: 'https://money.example/app',
  allowedOrigins: ['https://web.example'],
}

/** `Sec-Fetch-Site`, `Origin` (null: not sent), and whether the request is accepted. */
const requests: [string | null, string | null, boolean][] = [
  // Clients that are not browsers send neither header.
  [null, null, true],
  ['same-origin', 'https://money.example', true],
  ['none', null, true],
  ['same-origin', null, true],
  // Other origins, including one of the same site.
  ['cross-site', 'https://evil.example', false],
  ['same-site', 'https://other.money.example', false],
  ['cross-site', null, false],
  ['cross-site', 'null', false],
  // The origin https://web.example, which the settings allow, and origins that resemble it.
  ['cross-site', 'https://web.example', true],
  ['same-site', 'https://web.example', true],
  ['cross-site', 'http://web.example', false],
  ['cross-site', 'https://web.example:8443', false],
  // Browsers that send no Sec-Fetch-Site.
  [null, 'https://money.example', true],
  [null, 'http://127.0.0.1:4000', true],
  [null, 'http://127.0.0.1:4001', false],
  // Other schemes of the same host: a page over http must not use a server over https.
  [null, 'https://127.0.0.1:4000', false],
  ['cross-site', 'https://127.0.0.1:4000', false],
  [null, 'http://money.example', false],
  [null, 'https://evil.example', false],
  [null, 'null', false],
  [null, 'file://', false],
]

test.each(requests)(
  'Sec-Fetch-Site %s with Origin %s is accepted: %s',
  (site, origin, isAccepted) => {
    const request = {
      host: '127.0.0.1:4000',
      protocol: 'http',
      headers: {
        ...(site === null ? {} : { 'sec-fetch-site': site }),
        ...(origin === null ? {} : { origin }),
      },
    } as unknown as FastifyRequest
    const check = () => createOrigins(config).refuseForeign(request)
    if (isAccepted) expect(check).not.toThrow()
    else expect(check).toThrow(/other origins|differ in their scheme/)
  },
)

/** External URL, origin of the server as it sees it, `Origin`, and whether it is accepted. */
const seen: [string, string, string, boolean][] = [
  // Without an external URL, the scheme is that of the connection or of a trusted proxy.
  ['', 'http://money.example', 'http://money.example', true],
  ['', 'https://money.example', 'https://money.example', true],
  ['', 'http://money.example', 'https://money.example', false],
  ['', 'https://money.example', 'http://money.example', false],
  ['', 'https://money.example:443', 'https://money.example', true],
  ['', 'https://MONEY.example', 'https://money.example', true],
  // Behind a proxy that is not trusted the server sees http; the external URL knows the scheme.
  ['https://money.example', 'http://money.example', 'https://money.example', true],
  ['https://money.example', 'http://money.example', 'http://money.example', false],
  ['https://money.example/app/', 'http://10.0.0.1:4000', 'http://10.0.0.1:4000', true],
  ['https://money.example', 'http://money.example:80', 'http://money.example', false],
  // No host, or none that a URL can have.
  ['', 'http://', 'http://money.example', false],
  ['', 'http://a b', 'http://money.example', false],
  ['', 'unix://socket', 'http://money.example', false],
]

test.each(seen)('with the URL %j, a server at %s accepts %s: %s', (...row) => {
  const [externalUrl, server, origin, isAccepted] = row
  const [protocol, host] = server.split('://')
  const request = { protocol, host, headers: { origin } } as unknown as FastifyRequest
  const origins = createOrigins({ externalUrl, allowedOrigins: [] })
  for (const check of [origins.refuseForeign, (of: FastifyRequest) => origins.requireOwn(of, '')]) {
    if (isAccepted) expect(() => check(request)).not.toThrow()
    else expect(() => check(request)).toThrow()
  }
})
