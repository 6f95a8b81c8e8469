import { readJson } from '@coffer/kit/values/json'
import { expect, test } from '@jest/globals'
import { readAccounts, readBalance, readDiscovery, readTransactions } from './lunch-flow.ts'

const parse = (body: string) => readJson(new TextEncoder().encode(body), (json) => json)

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
  const { rows, isComplete } = readAccounts(parse(sent)) ?? { rows: [] }
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
    expect(readAccounts(parse(body))).toBeNull()
    expect(readTransactions(parse(body))).toBeNull()
    expect(readBalance(parse(body))).toBeNull()
  },
)

test('a balance keeps its source digits', () => {
  const balance = readBalance(parse('{"balance":{"amount":10.10,"currency":"EUR"}}'))
  expect(balance).toEqual({ amount: '10.10', currency: 'EUR' })
})

const listOf = (rows: unknown[], total?: unknown) =>
  readTransactions(parse(JSON.stringify({ transactions: rows, total })))

test('a transaction keeps its texts and source digits; missing fields are blank', () => {
  const body = `{"transactions":[{"id":"a","accountId":1,"amount":-5.10,"currency":"USD",
    "date":"2026-03-04","merchant":"Shop","description":" Text ","isPending":true,"more":1},
    {"id":9007199254740993,"isPending":"yes","merchant":{},"date":20260304}],"total":2}`
  expect(readTransactions(parse(body))).toEqual({
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
    unreadable: 0,
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
  ['the asked one', '"7"', true],
  ['the asked one as a number', '7', true],
  ['none', 'null', true],
  ['blank', '""', true],
  ['something that is no ID', '{}', true],
  ['another one', '"8"', false],
  ['another one as a number', '70', false],
  ['one that differs by a blank', '"7 "', false],
])('a row whose bank account is %s: %s is read: %s', (_kind, accountId, isRead) => {
  const body = `{"transactions":[{"id":"a"},{"id":"b","accountId":${accountId}}],"total":2}`
  const list = readTransactions(parse(body), '7')
  const ids = isRead ? ['a', 'b'] : ['a']
  expect(list?.rows.map(({ id }) => id)).toEqual(ids)
  expect(list).toMatchObject({ isComplete: isRead, unreadable: isRead ? 0 : 1 })
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
  expect(listOf([{ id }])).toEqual({ rows: [], isComplete: false, unreadable: 1 })
  expect(listOf([{ id, isPending: true }])?.rows).toMatchObject([{ id: null }])
})

test.each(['.', '..'])('an account with the ID %j is left out: it would change the path', (id) => {
  expect(readAccounts({ accounts: [{ id }] })?.rows).toEqual([])
})
