import { expect, test } from '@jest/globals'
import type { FastifyRequest } from 'fastify'
import { createOrigins } from './origins.ts'

const config = {
  externalUrl: 'https://money.example/app',
  allowedOrigins: ['https://web.example'],
}

/** Where a request stands: `null` is a header that is not sent. */
const requests: [string | null, string | null, boolean][] = [
  // Neither header: no browser.
  [null, null, true],
  ['same-origin', 'https://money.example', true],
  ['none', null, true],
  ['same-origin', null, true],
  // Another origin, also one of the same site.
  ['cross-site', 'https://evil.example', false],
  ['same-site', 'https://other.money.example', false],
  ['cross-site', null, false],
  ['cross-site', 'null', false],
  // Origins of the settings.
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

test.each(requests)('Sec-Fetch-Site %s, Origin %s: %s', (site, origin, isLetThrough) => {
  const request = {
    host: '127.0.0.1:4000',
    headers: {
      ...(site === null ? {} : { 'sec-fetch-site': site }),
      ...(origin === null ? {} : { origin }),
    },
  } as unknown as FastifyRequest
  const check = () => createOrigins(config).refuseForeign(request)
  if (isLetThrough) expect(check).not.toThrow()
  else expect(check).toThrow('other origins')
})
