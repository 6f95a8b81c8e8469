import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isExact } from '../../src/values/money.ts'

test.each([
  [0n, true],
  [9_007_199_254_740_991n, true],
  [9_007_199_254_740_992n, false],
  [-9_007_199_254_740_991n, true],
  [-9_007_199_254_740_992n, false],
])('%s is exact as a JSON integer: %s', (amount, expected) => {
  expect(isExact(amount)).toBe(expected)
})

test('an exact amount is unchanged after a way through JSON', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), (amount) => {
      fc.pre(isExact(amount))
      expect(BigInt(JSON.parse(JSON.stringify(Number(amount))))).toBe(amount)
    }),
  )
})
