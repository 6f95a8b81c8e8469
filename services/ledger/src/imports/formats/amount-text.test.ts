import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { detectDecimalMark, readWrittenAmount } from './amount-text.ts'

test.each([
  [['12.50', '-3.10'], 2, '.'],
  [['12,50', '-3,10'], 2, ','],
  [['1,234.50', '12'], 2, '.'],
  [['1.234,50', '12'], 2, ','],
  // Three digits after a single separator are a group of thousands, not decimals.
  [['1.234', '2.000'], 2, ','],
  [['1,234', '2,000'], 2, '.'],
  [['1.234.567', '5'], 2, ','],
  [['1,234,567', '5'], 2, '.'],
  // With three decimals, `1,234` is ambiguous: other amounts decide the mark, else it is a point.
  [['1,234'], 3, '.'],
  [['1,234', '5,5'], 3, ','],
  [['1.234', '5'], 0, ','],
  [['12,5', '1.234,00', '9.99'], 2, ','],
  [['12', '100'], 2, '.'],
  [[], 2, '.'],
] as const)('the decimal mark of %j with %i places is %s', (texts, places, mark) => {
  expect(detectDecimalMark(texts, places)).toBe(mark)
})

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
  ['12,50', null],
  ['1,2345.00', null],
  ['1,23.00', null],
  ["1,234'567.00", null],
  ['1.234.567', null],
  ['12.00 EUR', null],
  ['--12', null],
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
  ['1,234.50', null],
])('%j is %s with a decimal comma', (text, amount) => {
  expect(readWrittenAmount(text, { currency: 'EUR', places: 2, mark: ',' })).toBe(amount)
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
    expect(detectDecimalMark([text], 2)).toBe(mark)
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
      const mark = detectDecimalMark([text], 2)
      const amount = readWrittenAmount(text, { currency: 'USD', places: 2, mark })
      expect(['bigint', 'object']).toContain(typeof amount)
    },
  )
  fc.assert(property, { numRuns: 2000 })
})
