import { expect, test } from '@jest/globals'
import {
  parseMinorUnits,
  readAccounts,
  readBalance,
  readDiscovery,
  readJson,
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
  const [first, second, ...rest] = readAccounts(readJson(sent)) ?? []
  expect(rest).toEqual([])
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
  '%j is neither a list of accounts nor a balance',
  (body) => {
    expect(readAccounts(readJson(body))).toBeNull()
    expect(readBalance(readJson(body))).toBeNull()
  },
)

test('a balance keeps its source digits', () => {
  const balance = readBalance(readJson('{"balance":{"amount":10.10,"currency":"EUR"}}'))
  expect(balance).toEqual({ amount: '10.10', currency: 'EUR' })
})
