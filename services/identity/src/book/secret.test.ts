import { expect, test } from '@jest/globals'
import { apiKeySecret, base32, hashOf, isApiKeySecret } from './secret.ts'

// Test vectors of RFC 4648, section 10, in lower case and without padding.
test.each([
  ['', ''],
  ['f', 'my'],
  ['fo', 'mzxq'],
  ['foo', 'mzxw6'],
  ['foob', 'mzxw6yq'],
  ['fooba', 'mzxw6ytb'],
  ['foobar', 'mzxw6ytboi'],
])('base32 of %j is %j', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded)
})

test('the secret of a key is its prefix and 52 characters', () => {
  expect(apiKeySecret(new Uint8Array(32))).toBe(`coffer_secret_${'a'.repeat(52)}`)
})

test.each([
  [`coffer_secret_${'a'.repeat(52)}`, true],
  [`coffer_secret_${'a'.repeat(51)}`, false],
  [`coffer_secret_${'a'.repeat(53)}`, false],
  [`coffer_secret_${'A'.repeat(52)}`, false],
  [`coffer_secret_${'1'.repeat(52)}`, false],
  [`Coffer_secret_${'a'.repeat(52)}`, false],
  ['a'.repeat(52), false],
  ['', false],
])('%s may be a secret: %s', (text, may) => {
  expect(isApiKeySecret(text)).toBe(may)
})

test('a hash is SHA-256', () => {
  // Test vector of FIPS 180-2, appendix B.1.
  const hash = hashOf('abc')
  expect(hash.toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
