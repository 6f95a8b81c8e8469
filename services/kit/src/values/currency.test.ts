import { expect, test } from '@jest/globals'
import { currencies, currencyOf, decimalPlaces } from './currency.ts'

test.each([
  ['en_US', 'USD'],
  ['en-GB', 'GBP'],
  ['de_DE', 'EUR'],
  ['de_CH', 'CHF'],
  ['ja-JP', 'JPY'],
  ['zh-Hant-TW', 'TWD'],
  ['pt_BR.UTF-8', 'BRL'],
  ['bg_BG', 'EUR'],
  ['fil_PH', 'PHP'],
])('%s pays in %s', (locale, currency) => {
  expect(currencyOf(locale)).toBe(currency)
})

test.each(['', 'en', 'eo', 'en_ZZ', 'nonsense', 'en_us', 'es_419', '__proto__'])(
  'a locale without a known country (%j) falls back to USD',
  (locale) => {
    expect(currencyOf(locale)).toBe('USD')
  },
)

test.each([
  ['USD', 2],
  ['EUR', 2],
  ['HUF', 2],
  ['JPY', 0],
  ['ISK', 0],
  ['BHD', 3],
  ['IQD', 3],
  ['CLF', 4],
])('%s has %i decimal places', (currency, places) => {
  expect(decimalPlaces(currency)).toBe(places)
})

test('the list is ISO 4217 codes, ascending, each once', () => {
  const list = currencies()
  expect(list).toEqual([...new Set(list)].sort())
  expect(list.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true)
  expect(list).toEqual(expect.arrayContaining(['USD', 'EUR', 'JPY', 'BHD', 'GBP']))
})
