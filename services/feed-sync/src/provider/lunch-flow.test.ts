import { expect, test } from '@jest/globals'
import {
  parseExact,
  parseMinorUnits,
  readAccounts,
  readBalance,
  readDiscovery,
  readJson,
  readTransactions,
} from './lunch-flow.ts'

test.each([
  ['12.34', 'USD', 1234n],
  ['-12.3', 'USD', -1230n],
  ['0', 'USD', 0n],
  ['-0.00', 'USD', 0n],
  ['1e3', 'USD', 100_000n],
  ['1.5E-1', 'USD', 15n],
  ['12.345', 'USD', 1235n],
  ['-12.345', 'USD', -1235n],
  ['0.30000000000000004', 'USD', 30n],
  ['1234', 'JPY', 1234n],
  ['0.5', 'JPY', 1n],
  ['1.234', 'BHD', 1234n],
  ['90071992547409.91', 'USD', 9_007_199_254_740_991n],
  ['90071992547409.92', 'USD', null],
  ['1e99', 'USD', null],
  ['1e100', 'USD', null],
  ['', 'USD', null],
  ['1,5', 'USD', null],
  ['Infinity', 'USD', null],
])('%s in %s is %s minor units', (decimal, currency, amount) => {
  expect(parseMinorUnits(decimal, currency)).toBe(amount)
})

test.each([
  ['12.34', 'USD', 1234n],
  ['12.3400', 'USD', 1234n],
  ['30.299999999999997', 'USD', 3030n],
  ['0.30000000000000004', 'USD', 30n],
  ['-30.299999999999997', 'USD', -3030n],
  ['1.234e1', 'USD', 1234n],
  ['0.00000001', 'USD', 0n],
  ['12.345', 'USD', null],
  ['0.01001', 'USD', null],
  ['0.0100009', 'USD', 1n],
  ['0.5', 'JPY', null],
  ['1e100', 'USD', null],
  ['', 'USD', null],
])('%s in %s is exactly %s minor units', (decimal, currency, amount) => {
  expect(parseExact(decimal, currency)).toBe(amount)
})

const account = { id: '7', name: 'Checking', institution_name: 'Bank', provider: 'mx' }

test.each([
  ['EUR', 'USD', 'EUR'],
  [null, 'jpy', 'JPY'],
  ['???', 'CHF', 'CHF'],
  [undefined, null, 'USD'],
])('a balance in %p of an account in %p is in %p', (stated, listed, currency) => {
  const balance = { amount: '1', currency: stated }
  expect(readDiscovery({ ...account, status: 'ACTIVE', currency: listed }, balance).currency).toBe(
    currency,
  )
})

test('texts of the provider are cleaned for a candidate', () => {
  const sent = `{"accounts": [{"id": 9007199254740993, "name": " A\\u0000B\\n", "status": "ACTIVE"},
    {"id": "", "name": "no ID"}, {"name": "none"}, 7, null,
    {"id": "a.b:c-1", "name": "${'x'.repeat(400)}", "status": "LOST", "currency": "USD"}]}`
  const { rows, isComplete } = readAccounts(readJson(sent)) ?? { rows: [] }
  const [first, second, ...rest] = rows
  expect([rest, isComplete]).toEqual([[], false])
  expect(first && readDiscovery(first, null)).toEqual({
    feedId: '9007199254740993',
    feedStatus: 'ACTIVE',
    name: 'A B',
    institutionName: '',
    provider: '',
    currency: 'USD',
    currentBalance: 0n,
  })
  const found = second && readDiscovery(second, { amount: 'much', currency: 'USD' })
  expect(found).toMatchObject({ feedId: 'a.b:c-1', feedStatus: 'ERROR', currentBalance: 0n })
  expect(found?.name).toHaveLength(300)
})

test.each(['', 'null', '[]', '{}', '{"accounts": {}}', '{"accounts": null}', '<html>'])(
  '%j is no list and no balance',
  (body) => {
    expect(readAccounts(readJson(body))).toBeNull()
    expect(readTransactions(readJson(body))).toBeNull()
    expect(readBalance(readJson(body))).toBeNull()
  },
)

test('a balance keeps its source digits', () => {
  const balance = readBalance(readJson('{"balance":{"amount":10.10,"currency":"EUR"}}'))
  expect(balance).toEqual({ amount: '10.10', currency: 'EUR' })
})

const listOf = (rows: unknown[], total?: unknown) =>
  readTransactions(readJson(JSON.stringify({ transactions: rows, total })))

test('a transaction keeps its texts and source digits; missing fields are blank', () => {
  const body = `{"transactions":[{"id":"a","accountId":1,"amount":-5.10,"currency":"USD",
    "date":"2026-03-04","merchant":"Shop","description":" Text ","isPending":true,"more":1},
    {"id":9007199254740993,"isPending":"yes","merchant":{},"date":20260304}],"total":2}`
  expect(readTransactions(readJson(body))).toEqual({
    rows: [
      {
        id: 'a',
        amount: '-5.10',
        currency: 'USD',
        date: '2026-03-04',
        merchant: 'Shop',
        description: ' Text ',
        isPending: true,
      },
      {
        id: '9007199254740993',
        amount: '',
        currency: null,
        date: '20260304',
        merchant: '',
        description: '',
        isPending: false,
      },
    ],
    isComplete: true,
  })
})

test.each([
  ['no total', [{ id: 'a' }], undefined, true],
  ['a null total', [{ id: 'a' }], null, true],
  ['the right total', [{ id: 'a' }], 1, true],
  ['the total as a text', [{ id: 'a' }], '1', true],
  ['a larger total', [{ id: 'a' }], 2, false],
  ['a smaller total', [{ id: 'a' }], 0, false],
  ['a strange total', [{ id: 'a' }], {}, false],
  ['a pending row without an ID', [{ id: null, isPending: true }], 1, true],
  ['a posted row without an ID', [{ id: 'a' }, { amount: 1 }], 2, false],
  ['a row that is no object', [{ id: 'a' }, 7], 2, false],
])('a list with %s: %j, %j is complete: %s', (_kind, rows, total, isComplete) => {
  expect(listOf(rows, total)?.isComplete).toBe(isComplete)
})

test.each([
  '',
  ' a',
  'a ',
  'a  b',
  'a\nb',
  'a\u0000',
  'a\u00a0b',
  '\ud800',
  'x'.repeat(201),
  {},
  true,
])('the ID %j is none that the ledger takes', (id) => {
  expect(listOf([{ id }])).toEqual({ rows: [], isComplete: false })
  expect(listOf([{ id, isPending: true }])?.rows).toMatchObject([{ id: null }])
})

test.each(['.', '..'])('an account with the ID %j is left out: it would change the path', (id) => {
  expect(readAccounts({ accounts: [{ id }] })?.rows).toEqual([])
})
