import { readFileSync } from 'node:fs'
import { expect, jest, test } from '@jest/globals'
import { detectShape, rowsBelow } from './csv-shape.ts'

function shape(text: string) {
  return detectShape(new TextEncoder().encode(text))
}

const long = 'x'.repeat(120)

test.each([
  ['a,b,c\n1,2,3\n', ',', ['a', 'b', 'c']],
  ['a;b;c\n1;2;3\n', ';', ['a', 'b', 'c']],
  ['a|b|c\n1|2|3\n', '|', ['a', 'b', 'c']],
  ['a\tb\tc\n1\t2\t3\n', '\t', ['a', 'b', 'c']],
  ['a,b,c', ',', ['a', 'b', 'c']],
  ['\ufeffa, b ,"c"\r\n', ',', ['a', 'b', 'c']],
  // Neither decimal commas nor commas in texts make a comma the delimiter.
  ['a;b;c\n1,5;2,5;x, y\n3,5;4,5;z, w, v\n', ';', ['a', 'b', 'c']],
  // Lines above the header, such as the spreadsheet hint `sep=;`, are skipped.
  ['sep=;\nAccount;12\n\na;b;c;d\n1;2;3;4\n', ';', ['a', 'b', 'c', 'd']],
  ['Account;12;;\n;;;\na;b;c;d\n1;2;3;4\n', ';', ['a', 'b', 'c', 'd']],
  // A delimiter at the end of a row adds no column.
  ['a;b;c\n1;2;3;\n4;5;6;\n', ';', ['a', 'b', 'c']],
  ['a;b;c;\n1;2;3;\n', ';', ['a', 'b', 'c']],
  // Column names become unique, printable and at most 100 characters long.
  ['a,,a,b\n', ',', ['a', 'Column 2', '3 a', 'b']],
  [`a,b\u200b,${long}\n`, ',', ['a', 'b', long.slice(0, 100)]],
])('%# a header is found', (text, delimiter, headers) => {
  expect(shape(text)).toEqual({ delimiter, headers })
})

test('the header finds the rows below it', () => {
  const rows = [
    ['Account', '12'],
    ['a', '', 'a', ''],
    ['1', '2', '3'],
  ]
  expect(rowsBelow(rows, ['a', 'Column 2', '3 a'])).toEqual([['1', '2', '3']])
  expect(rowsBelow(rows, ['a', 'b', 'c'])).toBeNull()
})

test.each([
  ['', 'The file has no row with the names of at least three columns'],
  ['a,b\n1,2\n', 'The file has no row with the names of at least three columns'],
  ['no table at all\n', 'The file has no row with the names of at least three columns'],
  [
    Array.from({ length: 21 }, (_, index) => `c${index}`).join(','),
    'The file has more than 20 columns',
  ],
])('%# a file without a header has a reason', (text, unreadable) => {
  expect(shape(text)).toEqual({ unreadable })
})

test('a row with too many columns is refused before its columns are named', () => {
  const wide = Array.from({ length: 16_000 }, (_, index) => index.toString(36))
  const comparing = jest.spyOn(Array.prototype, 'includes')
  try {
    expect(shape(wide.join(','))).toEqual({
      unreadable: 'The file has more than 20 columns',
    })
    expect(rowsBelow([wide, ['a', 'b'], ['1', '2']], ['a', 'b'])).toEqual([['1', '2']])
    expect(comparing.mock.calls.length).toBeLessThan(1000)
  } finally {
    comparing.mockRestore()
  }
})

test('only the beginning of a large file is read', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => `${index},"x, y",z\n`)
  expect(shape(`a,b,c\n${rows.join('')}"`)).toEqual({ delimiter: ',', headers: ['a', 'b', 'c'] })
})

test('files in other character sets have the same shape', () => {
  const bytes = readFileSync(new URL('../../../../../../test/data/columns.csv', import.meta.url))
  expect(detectShape(bytes)).toEqual({
    delimiter: ';',
    headers: ['Buchung', 'Text', 'Soll', 'Haben', 'Saldo'],
  })
})

test('names of columns keep the joiners of emoji', () => {
  const csv = 'Date,Amount,👩‍👩‍👧 name\n2026-01-01,1.00,a\n2026-01-02,2.00,b\n'
  expect(shape(csv)).toMatchObject({
    headers: ['Date', 'Amount', '👩‍👩‍👧 name'],
  })
})
