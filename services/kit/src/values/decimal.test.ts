import { expect, test } from '@jest/globals'
import { decimalText, parseExact, parseMinorUnits } from './decimal.ts'

test.each([
  ['12.34', 'USD', 1234n],
  ['-12.3', 'USD', -1230n],
  ['0', 'USD', 0n],
  ['-0.00', 'USD', 0n],
  ['1e3', 'USD', 100_000n],
  ['1.5E-1', 'USD', 15n],
  ['12.345', 'USD', 1235n],
  ['-12.345', 'USD', -1235n],
  ['0.30000000000000004', 'USD', 30n],
  ['1234', 'JPY', 1234n],
  ['0.5', 'JPY', 1n],
  ['1.234', 'BHD', 1234n],
  ['90071992547409.91', 'USD', 9_007_199_254_740_991n],
  ['90071992547409.92', 'USD', null],
  ['1e99', 'USD', null],
  ['1e100', 'USD', null],
  ['', 'USD', null],
  ['1,5', 'USD', null],
  ['Infinity', 'USD', null],
])('%s in %s is %s minor units', (decimal, currency, amount) => {
  expect(parseMinorUnits(decimal, currency)).toBe(amount)
})

test.each([
  ['12.34', 'USD', 1234n],
  ['12.3400', 'USD', 1234n],
  ['30.299999999999997', 'USD', 3030n],
  ['0.30000000000000004', 'USD', 30n],
  ['-30.299999999999997', 'USD', -3030n],
  ['1.234e1', 'USD', 1234n],
  ['0.00000001', 'USD', 0n],
  ['12.345', 'USD', null],
  ['0.01001', 'USD', null],
  ['0.0100009', 'USD', 1n],
  ['0.5', 'JPY', null],
  ['1e100', 'USD', null],
  ['', 'USD', null],
])('%s in %s is exactly %s minor units', (decimal, currency, amount) => {
  expect(parseExact(decimal, currency)).toBe(amount)
})

test.each([
  [-1234n, 'USD', '-12.34'],
  [5n, 'USD', '0.05'],
  [-1234n, 'JPY', '-1234'],
  [1n, 'BHD', '0.001'],
])('%s minor units of %s are %s', (amount, currency, text) => {
  expect(decimalText(amount, currency)).toBe(text)
})
