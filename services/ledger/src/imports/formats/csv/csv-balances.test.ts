import { expect, test } from '@jest/globals'
import { readBelow } from '../../../../test/imports/sound-statement.ts'

/** Returns the current balance of rows `day amount balance`, or the note about it. */
function balanceOf(rows: readonly string[]) {
  const lines = rows.map((row, at) => {
    const [day, amount, balance] = row.split(' ')
    return `${at},2026-01-${day},x,${amount},${balance}`
  })
  const balance = { kind: 'field', fields: [{ name: 'Balance' }] }
  const read = readBelow(['Id', 'Date', 'Text', 'Amount', 'Balance'], lines, { balance } as object)
  if ('unreadable' in read) throw new Error(read.unreadable)
  return read.balances.current ?? read.balances.note
}

test.each([
  ['newest first', ['07 -1.00 87.00', '07 -5.00 88.00', '06 -4.00 93.00'], 8700n],
  ['newest day first', ['07 -5.00 88.00', '07 -1.00 87.00', '06 -4.00 93.00'], 8700n],
  ['oldest day first', ['06 -4.00 93.00', '07 -1.00 87.00', '07 -5.00 88.00'], 8700n],
  ['days in no order', ['06 -4.00 93.00', '07 -5.00 88.00', '05 -3.00 97.00'], 8800n],
  [
    'a refund at the end, oldest first within the day',
    ['07 -5.00 90.00', '07 5.00 95.00', '06 -3.00 98.00', '06 -3.00 95.00'],
    9500n,
  ],
])('the latest balance is proven by the amounts: %s', (_, rows, expected) => {
  expect(balanceOf(rows)).toBe(expected)
})

test.each([
  ['a blank newest row', ['05 -3.00 97.00', '06 -4.00 93.00', '07 -5.00 '], /newest row .* no bal/],
  ['an unreadable one', ['05 -3.00 97.00', '06 -4.00 93.00', '07 -5.00 8B'], /balance 8B of/],
  [
    'days in no order with a gap',
    ['07 -5.00 88.00', '05 -3.00 97.00', '06 -4.00 93.00', '07 -2.00 50.00'],
    /which one is the last/,
  ],
  ['no chain', ['05 -3.00 97.00', '06 -4.00 20.00', '06 -2.00 50.00'], /which one is the last/],
])('without a proven latest balance none is taken: %s', (_, rows, note) => {
  expect(balanceOf(rows)).toMatch(note)
})
