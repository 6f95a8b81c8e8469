import { expect, test } from '@jest/globals'
import { Webhook as Library } from 'standardwebhooks'
import { findUrlProblem, isAllowedHost, readAllowedHosts } from '../requests/webhook-url.ts'
import { findEndProblem, signingKeyOf, webhookSecret } from './webhook-secret.ts'

const { hosts } = readAllowedHosts('Home.local:8123, 10.0.0.7,[fd00::1]:80,')

test.each([
  ['https://example.com/hook?key=1', null],
  ['https://93.184.215.14:8443', null],
  ['http://home.local:8123/api', null],
  ['https://10.0.0.7', null],
  ['http://[fd00::1]/', null],
  ['http://home.local/', 'must be https'],
  ['http://example.com', 'must be https'],
  ['https://127.0.0.1', 'must lead to a public address'],
  ['https://2130706433', 'must lead to a public address'],
  ['https://0x7f.1', 'must lead to a public address'],
  ['https://[::1]', 'must lead to a public address'],
  ['https://[::ffff:10.0.0.1]', 'must lead to a public address'],
  ['https://169.254.169.254/latest', 'must lead to a public address'],
  ['https://localhost', 'must lead to a public address'],
  ['https://a.localhost.', 'must lead to a public address'],
  ['https://user:word@example.com', 'must have no credentials'],
  ['https://example.com/#part', 'must have no fragment'],
  ['ftp://example.com', 'must be an https URL'],
  ['example.com', 'must be a URL'],
  [`https://example.com/${'x'.repeat(2_000)}`, 'must be a URL of at most 2000'],
])('the problem of %s is %s', (url, problem) => {
  const found = findUrlProblem(url, hosts)
  expect(found === null ? null : found.slice(0, problem?.length)).toBe(problem)
})

test('a host is allowed at any port, or at the one that is named', () => {
  expect(isAllowedHost(new URL('http://10.0.0.7:9/'), hosts)).toBe(true)
  expect(isAllowedHost(new URL('http://home.local:8124/'), hosts)).toBe(false)
  expect(readAllowedHosts('http://a.b, c/d, e:1').faults).toEqual(['http://a.b', 'c/d'])
})

test('a secret is one of Standard Webhooks', () => {
  const secret = webhookSecret(Buffer.alloc(24, 7))
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
  expect(signingKeyOf(secret)).toEqual(Buffer.alloc(24, 7))
  expect(() => new Library(secret)).not.toThrow()
})

test.each([
  [null, null],
  ['2026-03-01T12:00:00Z', null],
  ['2026-03-08T12:00:00Z', null],
  ['2026-03-08T12:00:01Z', 'must lie in the next seven days'],
  ['2026-03-01T11:59:59Z', 'must lie in the next seven days'],
])('a former secret that ends at %s: %s', (end, problem) => {
  const now = new Date('2026-03-01T12:00:00Z')
  expect(findEndProblem(end === null ? null : new Date(end), now)).toBe(problem)
})
