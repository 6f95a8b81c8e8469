import { expect, test } from '@jest/globals'
import { base32, fnv1 } from './csv-rows.ts'

// Test vectors of draft-eastlake-fnv for FNV-1 with 64 bits.
test.each([
  ['', 0xcbf29ce484222325n],
  ['a', 0xaf63bd4c8601b7ben],
  ['b', 0xaf63bd4c8601b7bdn],
  ['foobar', 0x340d8765a4dda9c2n],
])('the hash of %j', (text, hash) => {
  expect(fnv1(text)).toBe(hash)
})

// The first is "foobar" of RFC 4648, section 10 (MZXW6YTBOI======), with two zero bytes appended.
test.each([
  [0x666f6f6261720000n, 'MZXW6YTBOIAAA==='],
  [0n, 'AAAAAAAAAAAAA==='],
  [0xffffffffffffffffn, '7777777777776==='],
])('%s in base32', (bits, text) => {
  expect(base32(bits)).toBe(text)
})
