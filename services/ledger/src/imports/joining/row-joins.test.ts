import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { FileRow } from '../formats/statement.ts'
import {
  countUnjoined,
  findBooked,
  type Joinable,
  JoinSearch,
  joinDaysMax,
  type RowJoin,
  settleJoins,
} from './row-joins.ts'

const onDay = (day: number) => new Date(Date.UTC(2026, 2, day))

function aRow(uploadIdentifier: string, day: number, name = 'LIDL DIENSTL. BERLIN'): FileRow {
  const texts = { name, originalName: name, originalMerchantName: '' }
  return { uploadIdentifier, amount: 475n, date: onDay(day), ...texts, isPending: false }
}

function stored(transactionId: string, day: number, name = 'Lidl'): Joinable {
  const texts = { name, merchantName: null, originalName: '', originalMerchantName: '' }
  return { transactionId, amount: 475n, date: onDay(day), ...texts, isPending: false }
}

function findJoins(rows: FileRow[], transactions: Joinable[]): RowJoin[] {
  const search = new JoinSearch()
  for (const one of transactions) search.addTransactions([one])
  for (const row of rows) search.add([row])
  return [...search.joins()].flat()
}

const pairsOf = (rows: FileRow[], transactions: Joinable[]) =>
  findJoins(rows, transactions).map(({ row, transaction }) => [
    row.uploadIdentifier,
    transaction.transactionId,
  ])

describe('rows of a file that are transactions of another source', () => {
  // Rules in docs/files/joining.md.
  test.each<[string, FileRow[], Joinable[], string[][]]>([
    ['the same day', [aRow('r', 5)], [stored('t', 5)], [['r', 't']]],
    ['three days before', [aRow('r', 5)], [stored('t', 2)], [['r', 't']]],
    ['three days after', [aRow('r', 5)], [stored('t', 8)], [['r', 't']]],
    ['four days apart', [aRow('r', 5)], [stored('t', 9)], []],
    ['another amount', [aRow('r', 5)], [{ ...stored('t', 5), amount: 476n }], []],
    ['the other direction', [aRow('r', 5)], [{ ...stored('t', 5), amount: -475n }], []],
    ['no common word', [aRow('r', 5)], [stored('t', 5, 'Rewe')], []],
    ['a common number only', [aRow('r', 5, 'A 1234')], [stored('t', 5, 'B 1234')], []],
    ['accents and case', [aRow('r', 5, 'CAFE LUNA')], [stored('t', 5, 'Café')], [['r', 't']]],
    ['an apostrophe', [aRow('r', 5, 'NANDOS SOHO')], [stored('t', 5, 'Nando’s')], [['r', 't']]],
    ['dots', [aRow('r', 5, 'HEMA BV')], [stored('t', 5, 'H.E.M.A.')], [['r', 't']]],
    ['a hyphen', [aRow('r', 5, 'COCA COLA')], [stored('t', 5, 'Coca-Cola')], [['r', 't']]],
    ['umlauts', [aRow('r', 5, 'MUELLER GMBH')], [stored('t', 5, 'Müller')], [['r', 't']]],
    [
      'a day of another offset from UTC',
      [aRow('r', 5)],
      [{ ...stored('t', 8), date: new Date(onDay(8).getTime() + 3_600_000) }],
      [['r', 't']],
    ],
    ['the nearest first', [aRow('r', 5)], [stored('far', 3), stored('near', 6)], [['r', 'near']]],
    [
      'each row and each transaction once',
      [aRow('a', 5), aRow('b', 5), aRow('c', 5)],
      [stored('t', 5), stored('u', 5)],
      [
        ['a', 't'],
        ['b', 'u'],
      ],
    ],
  ])('%s', (_name, rows, transactions, pairs) => {
    expect(pairsOf(rows, transactions)).toEqual(pairs)
  })

  test('never join twice, other amounts or days further apart', () => {
    const entry = fc.record({
      day: fc.integer({ min: 1, max: 12 }),
      amount: fc.constantFrom(475n, -475n, 500n),
    })
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (left, right) => {
        const rows = left.map(({ day, amount }, at) => ({ ...aRow(`r${at}`, day), amount }))
        const transactions = right.map(({ day, amount }, at) => ({
          ...stored(`t${at}`, day),
          amount,
        }))
        const joins = findJoins(rows, transactions)
        expect(new Set(joins.map(({ row }) => row)).size).toBe(joins.length)
        expect(new Set(joins.map(({ transaction }) => transaction)).size).toBe(joins.length)
        for (const { row, transaction } of joins) {
          expect(transaction.amount).toBe(row.amount)
          const ms = Math.abs(transaction.date.getTime() - row.date.getTime())
          expect(ms / 86_400_000).toBeLessThanOrEqual(joinDaysMax)
        }
        // No row is left whose equal transaction is left too.
        const isTaken = new Set<FileRow | Joinable>(
          joins.flatMap(({ row, transaction }) => [row, transaction]),
        )
        const rest = [rows, transactions].map((all) =>
          (all as (FileRow | Joinable)[]).filter((one) => !isTaken.has(one)),
        ) as [FileRow[], Joinable[]]
        expect(findJoins(...rest)).toEqual([])
      }),
    )
  })
})

test('each named join has an outcome', () => {
  const newRows = [aRow('a', 5), aRow('b', 5), aRow('c', 5, 'Rewe'), aRow('d', 5), aRow('e', 5)]
  const all = [
    stored('t', 5),
    stored('u', 4),
    stored('v', 9),
    { ...stored('w', 5), amount: 476n },
    stored('x', 5, 'Renamed'),
  ]
  const transactions = all.map((one) => ({ ...one, isTaken: one.transactionId === 't' }))
  const identifiers = new Set([...newRows.map((row) => row.uploadIdentifier), 'old'])
  const named = [
    ['a', 'u', 'joined'],
    ['a', 'x', 'taken'],
    ['b', 'u', 'taken'],
    ['b', 't', 'taken'],
    ['c', 'x', 'joined'],
    ['d', 'v', 'different'],
    ['d', 'w', 'different'],
    ['e', 'gone', 'transaction'],
    ['gone', 'v', 'row'],
    ['old', 'v', 'known'],
  ] as const
  const asked = named.map(([uploadIdentifier, transactionId]) => {
    return { uploadIdentifier, transactionId }
  })
  const { joins, outcomes } = settleJoins(asked, { identifiers, newRows, transactions })
  expect(outcomes.map((one) => Object.values(one))).toEqual(named)
  expect(
    joins.map(({ row, transaction }) => [row.uploadIdentifier, transaction.transactionId]),
  ).toEqual([
    ['a', 'u'],
    ['c', 'x'],
  ])
  expect(countUnjoined(outcomes)).toBe(7)
})

test.each<[string, FileRow, boolean]>([
  ['a posted row', aRow('r', 25, 'Other'), true],
  ['a pending row', { ...aRow('r', 5), isPending: true }, false],
  ['a row with a tip', { ...aRow('r', 5), amount: 576n }, true],
  ['a row of the other direction', { ...aRow('r', 5), amount: -475n }, false],
  ['a row of another identifier', aRow('s', 5), false],
])('%s may book the pending one of its identifier', (_, row, isBooked) => {
  const pending = { uploadIdentifier: 'r', transactionId: 't', amount: 475n, isPending: true }
  expect(findBooked(row, new Map([['r', pending]]))).toBe(isBooked ? pending : undefined)
})

const pending = (day: number) => ({ ...stored('t', day), isPending: true })
const pendingRow = { ...aRow('r', 5), isPending: true }

test.each<[string, FileRow, Joinable, number]>([
  ['a pending transaction ten days before a row', aRow('r', 15), pending(5), 1],
  ['a pending one eleven days before', aRow('r', 16), pending(5), 0],
  ['a pending one three days behind', aRow('r', 5), pending(8), 1],
  ['a pending one four days behind', aRow('r', 5), pending(9), 0],
  ['a pending one beside a pending row', pendingRow, pending(5), 0],
  ['a posted one beside a pending row', pendingRow, stored('t', 5), 1],
])('%s is offered so often', (_, row, transaction, count) => {
  expect(findJoins([row], [transaction])).toHaveLength(count)
})
