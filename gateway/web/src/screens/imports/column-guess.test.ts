import { expect, test } from '@jest/globals'
import { guessColumns, writeExample } from './column-guess.ts'

test.each`
  headers                     | found           | guess
  ${'Datum, Betrag, Text'}    | ${'DD.MM.YYYY'} | ${'Datum DD.MM.YYYY Betrag Text'}
  ${'Date, Amount, Memo'}     | ${undefined}    | ${'Date MM/DD/YYYY Amount Memo'}
  ${'Posted day, Value, Who'} | ${'D MMM YYYY'} | ${'Posted day D MMM YYYY Value Who'}
`('columns $headers with days $found are guessed as $guess', ({ headers, found, guess }) => {
  const { date, format, amount, memo } = guessColumns(String(headers).split(', '), 'en_US', found)
  expect([date, format, amount, memo].join(' ')).toBe(guess)
})

test.each([
  ['DD.MM.YYYY', '31.12.2026'],
  ['M/D/YY', '12/31/26'],
  ['D MMM YYYY', '31 Dec 2026'],
])('days of the format %s look like %s', (format, example) => {
  expect(writeExample(format)).toBe(example)
})
