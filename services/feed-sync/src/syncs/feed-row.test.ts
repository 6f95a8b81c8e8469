import { describe, expect, test } from '@jest/globals'
import type { OfferedTransaction } from '../provider/lunch-flow.ts'
import { batchRows, selectRows, toProviderTransaction } from './feed-row.ts'

const bank = { currency: 'USD', lastDay: '2027-03-04' }

function readRows(rows: readonly OfferedTransaction[], of = bank) {
  const { readable, skipped, ids } = selectRows(rows, of)
  return {
    transactions: readable.map((row) => toProviderTransaction(row, of.currency)),
    skipped,
    ids,
  }
}

const row = (more: Partial<OfferedTransaction> = {}): OfferedTransaction => ({
  id: 't1',
  amount: '-12.34',
  currency: 'USD',
  date: '2026-03-04',
  merchant: 'Corner Shop',
  description: 'POS 4711 CORNER SHOP',
  isPending: false,
  ...more,
})

test('a row becomes a transaction of the ledger, with the sign inverted and its names', () => {
  const { transactions, skipped, ids } = readRows([row()])
  expect(transactions).toMatchObject([
    {
      providerTransactionId: 't1',
      amount: 1234n,
      currency: 'USD',
      date: '2026-03-04',
      displayName: 'Corner Shop',
      originalName: 'POS 4711 CORNER SHOP',
      name: 'POS 4711 CORNER SHOP',
      merchantName: 'Corner Shop',
      isPending: false,
      raw: JSON.stringify(row()),
    },
  ])
  expect([skipped, [...ids]]).toEqual([0, ['t1']])
})

test.each([
  ['Shop', 'Text', 'Shop', 'Text'],
  ['', 'Text', 'Text', 'Text'],
  ['Shop', '', 'Shop', 'Shop'],
  [' \u0000 ', ' \n', 'Transaction 2026-03-04 -12.34 USD', 'Transaction 2026-03-04 -12.34 USD'],
])('merchant %j and description %j give the names %j and %j', (merchant, description, ...names) => {
  const [transaction] = readRows([row({ merchant, description })]).transactions
  expect([transaction?.displayName, transaction?.originalName]).toEqual(names)
})

describe('rows that are skipped are still the provider’s:', () => {
  test.each<[string, Partial<OfferedTransaction>]>([
    ['no amount', { amount: '' }],
    ['an amount of words', { amount: 'much' }],
    ['too many places', { amount: '1.005' }],
    ['an amount beyond 2^53', { amount: '90071992547409.92' }],
    ['another currency', { currency: 'EUR' }],
    ['an unknown currency', { currency: '???' }],
    ['no day', { date: '' }],
    ['a day that does not exist', { date: '2026-02-30' }],
    ['a time', { date: '2026-03-04T00:00:00Z' }],
    ['a day before 1970', { date: '1969-12-31' }],
    ['a day after the last', { date: '2027-03-05' }],
  ])('%s', (_kind, more) => {
    const { transactions, skipped, ids } = readRows([row(more), row({ id: 't2' })])
    expect(transactions.map((one) => one.providerTransactionId)).toEqual(['t2'])
    expect([skipped, [...ids]]).toEqual([1, ['t1', 't2']])
  })
})

test.each([
  ['30.299999999999997', 'USD', -3030n],
  ['-0.30000000000000004', 'USD', 30n],
  ['5', 'JPY', -5n],
  ['1.234', 'BHD', -1234n],
  ['0', 'USD', 0n],
])('%s %s is the amount %s', (amount, currency, expected) => {
  const { transactions } = readRows([row({ amount, currency })], { ...bank, currency })
  expect(transactions.map(({ amount }) => amount)).toEqual([expected])
})

test.each([null, '', ' usd '])('currency %j is that of the bank account', (currency) => {
  expect(readRows([row({ currency })]).transactions).toMatchObject([{ currency: 'USD' }])
})

test('an ID is imported once: posted before pending, then the later row', () => {
  const rows = [
    row({ id: 'a', isPending: false, amount: '-1' }),
    row({ id: 'a', isPending: true, amount: '-2' }),
    row({ id: 'b', amount: '-3' }),
    row({ id: 'b', amount: '-4' }),
    row({ id: 'c', isPending: true, amount: '-5' }),
    row({ id: 'c', isPending: false, amount: '-6' }),
  ]
  const { transactions, skipped } = readRows(rows)
  expect(transactions.map((one) => [one.providerTransactionId, one.amount])).toEqual([
    ['a', 100n],
    ['b', 400n],
    ['c', 600n],
  ])
  expect(skipped).toBe(0)
})

test('transactions are ordered by day, then as they were sent', () => {
  const rows = ['2026-03-04', '2026-03-02', '2026-03-04', '2026-03-03']
  const { transactions } = readRows(rows.map((date, index) => row({ id: `t${index}`, date })))
  expect(transactions.map((one) => one.providerTransactionId)).toEqual(['t1', 't3', 't0', 't2'])
})

describe('pending rows without an ID', () => {
  const pending = (more: Partial<OfferedTransaction> = {}) =>
    row({ id: null, isPending: true, ...more })
  const idsOf = (rows: OfferedTransaction[]) =>
    readRows(rows).transactions.map((one) => one.providerTransactionId)

  test('get an ID of day, amount and currency, whatever their texts', () => {
    const [id] = idsOf([pending()])
    expect(id).toMatch(/^pending:[0-9a-f]{24}:0$/)
    expect(idsOf([pending({ merchant: 'CORNER SHOP 12', description: '' })])).toEqual([id])
    expect(idsOf([pending({ amount: '-12.35' })])).not.toEqual([id])
    expect(idsOf([pending({ date: '2026-03-05' })])).not.toEqual([id])
  })

  test('get ordinals in the order of their texts, in whatever order they are sent', () => {
    const [first, second] = [pending({ merchant: 'A' }), pending({ merchant: 'B' })]
    const named = (rows: OfferedTransaction[]) =>
      Object.fromEntries(
        readRows(rows).transactions.map((one) => [one.merchantName, one.providerTransactionId]),
      )
    const ids = named([first, second])
    expect(ids.A).toMatch(/:0$/)
    expect(ids.B).toMatch(/:1$/)
    expect(named([second, first])).toEqual(ids)
  })
})

describe('batches', () => {
  const listOf = (...counts: number[]) =>
    counts.flatMap((count, day) =>
      Array.from({ length: count }, (_, n) =>
        row({ id: `${day}-${n}`, date: `2026-03-0${day + 1}` }),
      ),
    )
  const batchesOf = (rows: OfferedTransaction[]) =>
    [...batchRows(selectRows(rows, bank))].map(({ rows: { length }, wholeDays }) => {
      return [length, wholeDays.map((day) => Number(day.slice(-1)))]
    })

  test.each<[number[], unknown[]]>([
    [[], []],
    [[2, 3], [[5, [1, 2]]]],
    [[300, 200], [[500, [1, 2]]]],
    [
      [300, 201],
      [
        [300, [1]],
        [201, [2]],
      ],
    ],
    [
      [499, 1, 1],
      [
        [500, [1, 2]],
        [1, [3]],
      ],
    ],
    [
      [1, 501, 1],
      [
        [1, [1]],
        [500, []],
        [2, [3]],
      ],
    ],
    [
      [500, 1],
      [
        [500, [1]],
        [1, [2]],
      ],
    ],
    [
      [1200],
      [
        [500, []],
        [500, []],
        [200, []],
      ],
    ],
  ])('of days with %j rows are cut between days: %j', (counts, expected) => {
    expect(batchesOf(listOf(...counts))).toEqual(expected)
  })

  test('name no day of a skipped row, and none if its day is unknown', () => {
    const rows = listOf(1, 2, 1)
    const skipped = row({ id: 'x', currency: 'EUR', date: '2026-03-02' })
    expect(batchesOf([...rows, skipped])).toEqual([[4, [1, 3]]])
    expect(batchesOf([...rows, { ...skipped, date: '?' }])).toEqual([[4, []]])
  })
})

test('the JSON of a row is left out above 64 KiB', () => {
  const [transaction] = readRows([row({ description: 'x'.repeat(65_536) })]).transactions
  expect(transaction?.raw).toBeUndefined()
  expect(transaction?.originalName).toHaveLength(300)
})
