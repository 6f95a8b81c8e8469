import { decimalPlaces } from '@coffer/kit/values/currency'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { MarkChoice } from '../statement.ts'
import { readWrittenAmount } from './amount-text.ts'
import { chooseDecimalMark } from './decimal-mark.ts'

test.each([
  ['1234.5', 123450n],
  ['1,234.50', 123450n],
  ['1 234.50', 123450n],
  ['1\u202f234.50', 123450n],
  ["1'234.50", 123450n],
  ['1’234’567.50', 123456750n],
  ['12,34,567.00', 123456700n],
  ['-1,234.50', -123450n],
  ['+12', 1200n],
  ['12.00-', -1200n],
  ['(12.00)', -1200n],
  ['$(1,200.00)', -120000n],
  ['- 12.00', -1200n],
  ['−12.00', -1200n],
  ['$12.00', 1200n],
  ['-$12.00', -1200n],
  ['$-12.00', -1200n],
  ['12.00 USD', 1200n],
  ['usd 12', 1200n],
  ['.50', 50n],
  ['0.00', 0n],
  ['12.3400', 1234n],
  ['12.345', null],
  ['12,50', 1250n],
  ['1,2345.00', null],
  ['1,23.00', null],
  ["1,234'567.00", null],
  ['1.234.567', 123456700n],
  ['12.00 EUR', null],
  ['€12.00', null],
  ['-£12.00', null],
  ['＄12.00', 1200n],
  ['¤12.00', 1200n],
  ['--12', 1200n],
  ['--$21.78', 2178n],
  ['-+12', null],
  ['5.00 DR', -500n],
  ['2000.00Cr', 200000n],
  ['-5.00 DR', null],
  ['5.00 DB', -500n],
  ['5.00 S', -500n],
  ['5.00H', 500n],
  ['5.00 d', -500n],
  ['$5.00 C', 500n],
  ['5.00 USD D', -500n],
  ['-5.00 S', null],
  ['(5.00) S', null],
  ['5.00 H-', null],
  ['5.00 S H', null],
  ['5.00 CS', null],
  ['5.00 CHF', null],
  ['5.00 DKK', null],
  ['S', null],
  ['. S', null],
  ['S 5.00', null],
  ['US$7.00', 700n],
  ['R$ 7.00', null],
  ['7.00 aUSD', null],
  ['5$00', null],
  ['5 USD 000', null],
  ['１２．５０', 1250n],
  ['—5.00', -500n],
  ['\u20115.00', -500n],
  ['-12-', null],
  ['(-12)', null],
  ['(12', null],
  ['12)', null],
  ['', null],
  ['.', null],
  ['-', null],
  [',', null],
  ['1e5', null],
  ['twelve', null],
  ['99999999999999999999', null],
  ['9'.repeat(60), null],
])('%j is %s', (text, amount) => {
  expect(readWrittenAmount(text, { currency: 'USD', places: 2, mark: '.' })).toBe(amount)
})

test.each([
  ['1.234,50', 123450n],
  ['1.234', 123400n],
  ['1 234,5', 123450n],
  ['12,50 €', 1250n],
  ['1.234,50 S', -123450n],
  ['1.234,50 € H', 123450n],
  ['12,50 S €', -1250n],
  ['1,234.50', 123450n],
  ['12.5', 1250n],
  ['12.345', 1234500n],
])('%j is %s with a decimal comma', (text, amount) => {
  expect(readWrittenAmount(text, { currency: 'EUR', places: 2, mark: ',' })).toBe(amount)
})

test.each([
  ['BRL', '-R$ 1.234,56', -123456n],
  ['BRL', 'R$ 1.234,56 D', -123456n],
  ['CHF', '5.00 CHF', 500n],
  ['PLN', '-1 234,56 zł', -123456n],
  ['SEK', '-144,75 kr', -14475n],
  ['TRY', '-1.234,56 TL', -123456n],
  ['ILS', '-25.00 ש"ח', -2500n],
  ['SAR', '25.00 ر.س', 2500n],
  ['USD', '25.00 TL', null],
  ['AED', '△25.00', -2500n],
  ['CZK', '1 500,00 Kč', 150000n],
  ['CHF', "Fr. 1'234.50", 123450n],
  ['INR', 'Rs. 1,00,000.00', 10000000n],
  ['GBP', '+ £1,234.56', 123456n],
  ['JOD', 'د.ا.\u200f4.750', 4750n],
  ['JPY', '1,234円', 1234n],
])('an amount in %s is written %j', (currency, text, amount) => {
  const places = decimalPlaces(currency)
  const { mark } = chooseDecimalMark([text, '0.500', '1'], { currency, places }) as MarkChoice
  expect(readWrittenAmount(text, { currency, places, mark })).toBe(amount)
})

test('amounts that Intl formats in any of these languages are read exactly', () => {
  const written = fc.record({
    cents: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
    locale: fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'sv-SE', 'pt-BR'),
    style: fc.constantFrom('decimal' as const, 'currency' as const),
  })
  const property = fc.property(written, ({ cents, locale, style }) => {
    const format = new Intl.NumberFormat(locale, {
      style,
      currency: 'EUR',
      minimumFractionDigits: 2,
    })
    const mark = ['en-US', 'de-CH', 'en-IN'].includes(locale) ? '.' : ','
    const text = format.format(cents / 100)
    expect(readWrittenAmount(text, { currency: 'EUR', places: 2, mark })).toBe(BigInt(cents))
  })
  fc.assert(property, { numRuns: 500 })
})

test('no text makes the reader throw', () => {
  const pieces = fc.array(fc.constantFrom(..."0123456789.,'() +-$€x"), { maxLength: 40 })
  const property = fc.property(
    fc.oneof(
      fc.string(),
      pieces.map((all) => all.join('')),
    ),
    (text) => {
      const amount = readWrittenAmount(text, { currency: 'USD', places: 2, mark: '.' })
      chooseDecimalMark([text], { currency: 'USD', places: 2 })
      expect(['bigint', 'object']).toContain(typeof amount)
    },
  )
  fc.assert(property, { numRuns: 2000 })
})
