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
  [null, 'https://evil.example', false],
  [null, 'null', false],
  [null, 'file://', false],
]

test.each(requests)(
  'Sec-Fetch-Site %s with Origin %s is accepted: %s',
  (site, origin, isAccepted) => {
    const request = {
      host: '127.0.0.1:4000',
      headers: {
        ...(site === null ? {} : { 'sec-fetch-site': site }),
        ...(origin === null ? {} : { origin }),
      },
    } as unknown as FastifyRequest
    const check = () => createOrigins(config).refuseForeign(request)
    if (isAccepted) expect(check).not.toThrow()
    else expect(check).toThrow('other origins')
  },
)
