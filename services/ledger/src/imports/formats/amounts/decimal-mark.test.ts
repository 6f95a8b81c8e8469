import { decimalPlaces } from '@coffer/kit/values/currency'
import { expect, test } from '@jest/globals'
import { chooseDecimalMark } from './decimal-mark.ts'

// Rules of docs/file-formats.md#amounts: the amounts of a file, the decimals of its currency, and
// its decimal mark, or `asks`.
test.each([
  ['12.50 -3.10', 2, '.'],
  ['12,50 -3,10', 2, ','],
  ['1,234.50 12', 2, '.'],
  ['1.234,50 12', 2, ','],
  ['1.234.567 5', 2, ','],
  ['12 100', 2, '.'],
  ['', 2, '.'],
  // One amount decides alone: decimals elsewhere, four digits or a 0 in front, another grouping.
  ['1.234 5,5', 2, ','],
  ['1,234 5.5', 2, '.'],
  ['1.234 1234.567', 2, '.'],
  ['1.234 0.450', 2, '.'],
  ["1.234 1'234.500", 2, '.'],
  // Three amounts decide together: all end in 0, or one does not.
  ['29.000 3.450 12.900', 2, '.'],
  ['29.000 3.450 12.905', 2, ','],
  ['29,000 3,450 12,905 7', 2, '.'],
  // Fewer of them, amounts without a mark, or amounts with both marks decide nothing.
  ['29.000 3.450', 2, 'asks'],
  ['1,400', 2, 'asks'],
  ['29.000 3.450 12.900 7', 2, 'asks'],
  ['29.000 3,450 12.900', 2, 'asks'],
  ['29.000 3.45 1,5', 2, 'asks'],
  // Without decimals there are thousands; with three, decimals are usual and thousands possible.
  ['-29.000 -900', 0, ','],
  ['1,234', 0, '.'],
  ['1.234 2.500 12.005', 3, '.'],
  ['1.234 2.500 12.005 7', 3, 'asks'],
  ['12,5 1.234,00 9.99', 2, ','],
] as const)('the decimal mark of %j with %i places is %s', (amounts, places, expected) => {
  const currency = { 0: 'CLP', 2: 'CHF', 3: 'JOD' }[places]
  const texts = amounts.split(' ')
  const found = chooseDecimalMark(texts, { currency, places })
  expect('unreadable' in found ? 'asks' : found.mark).toBe(expected)
  for (const stated of ['.', ','] as const) {
    expect(chooseDecimalMark(texts, { currency, places, stated })).toMatchObject({ mark: stated })
  }
})

// HUF and IQD have decimals by ISO 4217, which bank files seldom have.
test.each([
  ['HUF', '29.000 3.450 12.900', 'asks'],
  ['HUF', '29.000 3.455 12.900', ','],
  ['HUF', '29.000 3.450,50 12.900', ','],
  ['HUF', '29000 3450.50', '.'],
  ['IQD', '29.000 3.450 12.905', 'asks'],
  ['IQD', '29.000', 'asks'],
  ['JOD', '29.000 3.450 12.905', '.'],
  ['KWD', '-1.400 -12.250', '.'],
  ['KWD', '-1,400', ','],
])('the decimal mark of %s %j is %s', (currency, amounts, expected) => {
  const places = decimalPlaces(currency)
  const found = chooseDecimalMark(amounts.split(' '), { currency, places })
  expect('unreadable' in found ? 'asks' : found.mark).toBe(expected)
})

test('the choice is explained by an amount, and asked for by name', () => {
  const notation = { currency: 'USD', places: 2 }
  expect(chooseDecimalMark(['5', '-1.234,50'], notation)).toEqual({
    mark: ',',
    reason: '-1.234,50 has the decimal mark ,',
  })
  expect(chooseDecimalMark(['-1,400'], notation)).toEqual({
    asks: 'decimalMark',
    unreadable:
      '-1,400 can have decimals or thousands: too few amounts decide it. ' +
      'State decimalMark, a point or a comma, to read the file again',
  })
})
