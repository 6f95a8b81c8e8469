import { expect, test } from '@jest/globals'
import { readBelow } from '../../../../test/imports/sound-statement.ts'

test.each([
  ['-5.00 95.00|-5.00 90.00|2.00 92.00', 3],
  ['2.00 92.00|-5.00 90.00|-5.00 95.00', 3],
  ['5.00 95.00|4.00 91.00|2.00 89.00', '(rows: 2)'],
  ['5.00 95.00|-3.00 98.00|-1.00 99.00', '(rows: 2)'],
])('balances that move against the amounts of %s refuse the file: %s', (rows, expected) => {
  const lines = rows
    .split('|')
    .map((row, at) => `${at},2026-01-0${at + 1},x,${row.replace(' ', ',')}`)
  const balance = { kind: 'field', fields: [{ name: 'Balance' }] }
  const read = readBelow(['Id', 'Date', 'Text', 'Amount', 'Balance'], lines, { balance } as object)
  expect('rows' in read ? read.rows.length : read.unreadable).toEqual(
    typeof expected === 'number' ? expected : expect.stringContaining(expected),
  )
})

test.each([
  [
    'are part of what moves',
    ['1,2026-01-02,Shop,-5.00,0.50,94.50', '2,2026-01-03,Plan,0.00,3.00,91.50'],
    [550n, 300n],
  ],
  [
    'lower what comes in',
    ['1,2026-01-02,Sale,5.00,-0.50,104.50', '2,2026-01-03,Shop,-1.00,0.00,103.50'],
    [-450n, 100n],
  ],
  [
    'are given back by the other sign',
    ['1,2026-01-02,Sale,50.00,-1.50,148.50', '2,2026-01-03,Refund,-100.00,2.50,51.00'],
    [-4850n, 9750n],
  ],
  [
    'are given back by a minus',
    ['1,2026-01-02,Sale,50.00,1.50,148.50', '2,2026-01-03,Refund,-100.00,-2.50,51.00'],
    [-4850n, 9750n],
  ],
  [
    'have no direction in their sign',
    ['1,2026-01-02,Sale,50.00,1.50,148.50', '2,2026-01-03,Refund,-20.00,-2.50,126.00'],
    [-4850n, 2250n],
  ],
  [
    'are in the amounts',
    ['1,2026-01-02,Shop,-5.00,0.50,95.00', '2,2026-01-03,Shop,-3.00,0.20,92.00'],
    [500n, 300n],
  ],
])('fees of a column %s, as the balances tell', (_, lines, amounts) => {
  const balance = { kind: 'field', fields: [{ name: 'Balance' }] }
  const names = ['Id', 'Date', 'Text', 'Amount', 'Fee', 'Balance']
  const first = '0,2026-01-01,Pay,100.00,0.00,100.00'
  const read = readBelow(names, [first, ...lines], { balance } as object)
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect(read.rows.map(({ amount }) => amount)).toEqual([-10_000n, ...amounts])
})

test.each([
  ['100.00,-3.00,97.00', '-100.00,2.50,-97.50', [-9700n, 9750n]],
  ['100.00,3.00,97.00', '-100.00,-2.50,-97.50', [-9700n, 9750n]],
  ['97.00,-3.00,97.00', '-97.50,2.50,-97.50', [-9700n, 9750n]],
  ['100.00,-3.00,', '-100.00,2.50,', [-10_000n, 10_000n]],
])('without a balance the net amounts tell of %s and %s whether fees move', (one, two, amounts) => {
  const lines = [`1,2026-01-02,Sale,${one}`, `2,2026-01-03,Refund,${two}`]
  const read = readBelow(['Id', 'Date', 'Text', 'Amount', 'Fee', 'Net'], lines, {})
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect(read.rows.map(({ amount }) => amount)).toEqual(amounts)
})

test('a fee beside what is sent after fees leaves with it, but not from a deposit', () => {
  const names = [
    'Id',
    'Date',
    'Text',
    'Direction',
    'Source fee amount',
    'Source amount (after fees)',
  ]
  const fields = [{ name: 'Source amount (after fees)' }, { name: 'Direction' }]
  const lines = ['1,2026-01-02,Joe,OUT,1.23,100.00', '2,2026-01-03,Acme,IN,4.00,1500.00']
  const read = readBelow(names, lines, {
    amount: { kind: 'type', invert: false, fields, debit: 'OUT', credit: 'IN' },
  })
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect(read.rows.map(({ amount }) => amount)).toEqual([10_123n, -150_000n])
})

test.each([
  ['is left out', ['a|-12.50', 'b|20.00', 'Total|7.50'], [1250n, -2000n, 'balance']],
  ['is left out spaced', ['a|-12.50', 'b|20.00', 'T O T A L|7.50'], [1250n, -2000n, 'balance']],
  ['of money out', ['a|-12.50', 'b|20.00', 'Summe|-12.50'], [1250n, -2000n, 'balance']],
  [
    'of a part and of all',
    ['a|-1.00', 'Subtotal|-1.00', 'b|-2.00', 'c|-3.00', 'Subtotal|-5.00', 'Total|-6.00'],
    [100n, 200n, 300n, 'balance', 'balance', 'balance'],
  ],
  ['is a shop', ['a|-12.50', 'b|20.00', 'TOTAL|-40.00'], [1250n, -2000n, 4000n]],
  ['is a shop where the balance moves', ['a|-5.00|95.00', 'TOTAL|-5.00|90.00'], [500n, 500n]],
  ['repeats a balance', ['a|-5.00|95.00', 'TOTAL|-5.00|95.00'], [500n, 'balance']],
])('a dated line that is called a total %s', (_, lines, expected) => {
  const cells = lines.map((line, at) => {
    const [text, amount, balance = ''] = line.split('|')
    return `${at},2026-01-02,${text},${amount},${balance}`
  })
  const names = ['Id', 'Date', 'Text', 'Amount', 'Balance']
  const isMapped = cells.some((line) => !line.endsWith(','))
  const balance = { kind: 'field', fields: [{ name: 'Balance' }] }
  const read = readBelow(names, cells, isMapped ? ({ balance } as object) : {})
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect([
    ...read.rows.map(({ amount }) => amount),
    ...read.skipped.map(({ reason }) => reason),
  ]).toEqual(expected)
})
