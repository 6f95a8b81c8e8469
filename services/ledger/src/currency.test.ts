import { expect, test } from '@jest/globals'
import { currencies, decimalPlaces, isCurrency } from './currency.ts'

test('the currencies are upper-case codes, sorted and unique', () => {
  const codes = currencies()
  expect(codes).toEqual([...new Set(codes)].sort())
  expect(codes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([])
  expect(codes).toEqual(expect.arrayContaining(['USD', 'EUR', 'JPY', 'BHD']))
})

test.each([
  ['USD', true],
  ['usd', false],
  ['ZZZ', false],
  ['', false],
])('is %j a currency: %s', (code, known) => {
  expect(isCurrency(code)).toBe(known)
})

test.each([
  ['USD', 2],
  ['EUR', 2],
  ['JPY', 0],
  ['BHD', 3],
])('%s has %i decimal places', (code, places) => {
  expect(decimalPlaces(code)).toBe(places)
})
