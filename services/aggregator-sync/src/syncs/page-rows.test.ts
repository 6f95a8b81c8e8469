import { describe, expect, test } from '@jest/globals'
import type { UpstreamTransaction } from '../provider/aggregator.ts'
import { divideChanges, listStrangers, toProviderTransaction } from './page-rows.ts'

const row: UpstreamTransaction = {
  id: 't1',
  pendingId: null,
  accountId: 'a1',
  amount: '12.30',
  currency: 'USD',
  unofficialCurrency: null,
  date: '2026-03-04',
  authorizedDate: null,
  name: 'CORNER SHOP 0815 SPRINGFIELD',
  merchantName: 'Corner Shop',
  originalDescription: 'POS CORNER SHOP 0815',
  isPending: false,
  categories: ['Shops'],
  category: 'GENERAL_MERCHANDISE_OTHER',
  raw: '{}',
}
const of = { currency: 'USD', lastDay: '2027-03-05' }
const transaction = (change: Partial<UpstreamTransaction>, currency = 'USD') =>
  toProviderTransaction({ ...row, ...change }, { ...of, currency })

test('a row becomes a transaction of the ledger', () => {
  expect(transaction({ pendingId: 'p1', authorizedDate: '2026-03-02' })).toMatchObject({
    providerTransactionId: 't1',
    pendingProviderTransactionId: 'p1',
    amount: 1230n,
    currency: 'USD',
    date: '2026-03-04',
    authorizedDate: '2026-03-02',
    displayName: 'Corner Shop',
    originalName: 'POS CORNER SHOP 0815',
    name: 'CORNER SHOP 0815 SPRINGFIELD',
    merchantName: 'Corner Shop',
    categories: ['Shops'],
    category: 'GENERAL_MERCHANDISE_OTHER',
    isPending: false,
    raw: '{}',
  })
})

test('fields that are not stated are left out', () => {
  const bare = transaction({
    category: null,
    raw: null,
    originalDescription: null,
    merchantName: null,
  })
  expect(bare).toMatchObject({ displayName: row.name, originalName: row.name, merchantName: '' })
  for (const field of [
    'pendingProviderTransactionId',
    'authorizedDate',
    'category',
    'raw',
  ] as const) {
    expect(bare?.[field]).toBeUndefined()
  }
})

describe('the name', () => {
  test.each<[string, string | null, string | null, string]>([
    ['POS 12', 'Corner Shop', null, 'POS 12'],
    ['CORNER SHOP', 'Corner Shop', null, 'CORNER SHOP'],
    ['CORNER SHOP 1', '', null, 'CORNER SHOP 1'],
    ['', 'Corner Shop', null, 'Corner Shop'],
    ['', null, 'POS 12', 'POS 12'],
    ['', null, null, 'Transaction 2026-03-04 12.30 USD'],
  ])('of %j, merchant %j and description %j is %j', (name, merchantName, description, expected) => {
    const named = transaction({ name, merchantName, originalDescription: description })
    expect(named?.displayName).toBe(expected)
  })
})

describe('money', () => {
  test.each([
    ['-1234.56', 'USD', -123_456n],
    ['500', 'JPY', 500n],
    ['1.234', 'BHD', 1_234n],
    ['0.30000000000000004', 'USD', 30n],
    ['100000000.00', 'USD', 10_000_000_000n],
    ['1e2', 'USD', 10_000n],
    ['0', 'USD', 0n],
  ])('%s %s is %d minor units', (amount, currency, minor) => {
    expect(transaction({ amount, currency }, currency)?.amount).toBe(minor)
  })

  test.each([
    ['12.345', 'USD'],
    ['0.5', 'JPY'],
    ['1e30', 'USD'],
    ['90071992547409.92', 'USD'],
  ])('%s %s is skipped, never rounded', (amount, currency) => {
    expect(transaction({ amount, currency }, currency)).toBeNull()
  })

  test('without a currency, it is that of the bank account', () => {
    expect(transaction({ currency: null, amount: '5' }, 'JPY')).toMatchObject({
      amount: 5n,
      currency: 'JPY',
    })
  })

  test('another currency is skipped', () => {
    expect(transaction({ currency: 'EUR' })).toBeNull()
    expect(transaction({ currency: null, unofficialCurrency: 'BTC' })).toBeNull()
  })
})

test.each([
  ['1969-12-31', false],
  ['1970-01-01', true],
  ['2027-03-05', true],
  ['2027-03-06', false],
])('the day %s is imported: %s', (date, isImported) => {
  expect(transaction({ date }) !== null).toBe(isImported)
  expect(transaction({ authorizedDate: date })?.authorizedDate === date).toBe(isImported)
})

const accounts = [
  { bankAccountId: 'bac_1', providerAccountId: 'a1', currency: 'USD' },
  { bankAccountId: 'bac_2', providerAccountId: 'a2', currency: 'EUR' },
]
const divide = (page: Partial<Parameters<typeof divideChanges>[0]>) =>
  divideChanges(
    { added: [], modified: [], unreadable: 0, ...page },
    {
      accounts,
      lastDay: of.lastDay,
    },
  )

test('a page is divided by bank accounts, what was added before what was modified', () => {
  const { changes, skipped } = divide({
    added: [row, { ...row, id: 't2', accountId: 'a2', currency: 'EUR' }],
    modified: [{ ...row, id: 't3' }],
  })
  const ids = changes.map(({ transactions }) =>
    transactions.map((one) => one.providerTransactionId),
  )
  expect(ids).toEqual([['t1', 't3'], ['t2']])
  expect(skipped).toBe(0)
})

test('rows of unknown accounts and rows that cannot be stored are counted', () => {
  const { changes, skipped } = divide({
    added: [
      { ...row, accountId: 'other' },
      { ...row, currency: 'EUR' },
    ],
    unreadable: 3,
  })
  expect(changes.every(({ transactions }) => transactions.length === 0)).toBe(true)
  expect(skipped).toBe(5)
})

test('unknown accounts of rows are listed once', () => {
  const [added, modified] = [
    ['a1', 'b', 'c'],
    ['c', 'a2', 'd'],
  ].map((ids) => ids.map((accountId) => ({ ...row, accountId }))) as [
    UpstreamTransaction[],
    UpstreamTransaction[],
  ]
  expect(listStrangers({ added, modified }, ['a1', 'a2'])).toEqual(['b', 'c', 'd'])
})
