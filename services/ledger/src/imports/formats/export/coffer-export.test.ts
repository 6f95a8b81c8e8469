import { expect, test } from '@jest/globals'
import { soleOf } from '../../../../test/imports/sound-statement.ts'
import { readExportAccounts } from './coffer-export.ts'

const settings = { currency: 'EUR', timezone: 'Europe/Vienna' }

const account = (id: string, changes: object = {}) => ({
  bankAccountId: id,
  name: `Account ${id}`,
  currency: 'EUR',
  currentBalance: 1000,
  availableBalance: 900,
  limitBalance: 0,
  deletedAt: null,
  ...changes,
})

const row = (id: string, changes: object = {}) => ({
  bankAccountId: 'A',
  transactionId: id,
  uploadIdentifier: null,
  amount: 500,
  date: '2026-01-20T06:00:00Z',
  name: null,
  originalName: 'SHOP 7',
  merchantName: null,
  originalMerchantName: 'Shop',
  isPending: false,
  deletedAt: null,
  ...changes,
})

/** Returns the bytes of an export of an account in Chicago. */
function exported(tables: { accounts?: object[]; rows?: object[] }, changes: object = {}) {
  const { accounts = [account('A')], rows = [] } = tables
  const text = JSON.stringify({
    format: 1,
    exportedAt: '2026-02-01T12:00:00Z',
    me: { user: { account: { timezone: 'America/Chicago' } } },
    services: { identity: {}, ledger: { bankAccounts: accounts, transactions: rows } },
    complete: true,
    ...changes,
  })
  return new TextEncoder().encode(text)
}

test('an export has the rows of its account on their days, and its balances', () => {
  const rows = [
    row('1'),
    row('2', { name: 'Bakery', amount: -300, uploadIdentifier: 'U' }),
    row('3', { date: '2026-01-21T06:00:00Z', originalMerchantName: '', merchantName: 'Café' }),
    row('4', { isPending: true }),
    row('5', { amount: 0 }),
    row('6', { deletedAt: '2026-01-21T06:00:00Z' }),
    row('7', { bankAccountId: 'B' }),
  ]
  const read = soleOf(readExportAccounts(exported({ rows }), settings))
  if ('unreadable' in read) throw new Error(read.unreadable)
  const shown = read.rows.map((one) => [
    one.uploadIdentifier,
    one.amount,
    one.date.toISOString(),
    one.name,
    one.originalName,
    one.originalMerchantName,
  ])
  expect(shown).toEqual([
    ['3', 500n, '2026-01-20T23:00:00.000Z', 'Café', 'SHOP 7', 'Café'],
    ['U', -300n, '2026-01-19T23:00:00.000Z', 'Bakery', 'SHOP 7', 'Shop'],
    ['1', 500n, '2026-01-19T23:00:00.000Z', 'Shop', 'SHOP 7', 'Shop'],
  ])
  expect(read).toMatchObject({
    currency: 'EUR',
    skipped: [
      { identifier: '5', reason: 'zero' },
      { identifier: '4', reason: 'pending' },
    ],
    balances: { current: 1000n, available: 900n, asOf: new Date('2026-02-01T12:00:00Z') },
  })
})

const several = [account('A'), account('B', { name: 'Mine' }), account('C', { name: 'Mine' })]
const refusal = 'The file holds 3 accounts: state statement, the one to read'
test.each([
  [{ bankAccountId: 'A', name: 'Mine' }, ['duplicate']],
  [{ bankAccountId: 'X', name: 'Account A' }, ['1']],
  [{ bankAccountId: 'X', name: 'Mine' }, refusal],
  [{ bankAccountId: 'X', name: 'Other' }, refusal],
])('of several accounts, the one of the ID or name of %j is read', (bankAccount, expected) => {
  const bytes = exported({ accounts: several, rows: [row('1')] })
  const read = soleOf(readExportAccounts(bytes, { ...settings, bankAccount }))
  const found =
    'unreadable' in read
      ? read.unreadable
      : [...read.rows.map((one) => one.uploadIdentifier), ...read.skipped.map((one) => one.reason)]
  expect(found).toEqual(expected)
})

test.each([
  [exported({}, { complete: false }), 'The file is no whole export of this program'],
  [exported({}).subarray(0, 200), 'The file is no whole export of this program'],
  [exported({ rows: [row('1', { amount: 1.5 })] }), 'The file is no whole export of this program'],
  [exported({ rows: [row('1', { date: 'x' })] }), 'The file is no whole export of this program'],
  [new TextEncoder().encode('['.repeat(3_000_000)), 'The file is no whole export of this program'],
  [exported({ accounts: [] }), 'The export holds no account'],
  [
    exported({ accounts: [account('A', { currency: 'ZZZ' })] }),
    'The file is not in one currency that this server knows',
  ],
  [exported({ rows: Array.from({ length: 100_001 }, () => row('1')) }), /more than 100000 trans/],
])('%# is refused with the reason', (bytes, reason) => {
  const read = soleOf(readExportAccounts(bytes, settings))
  expect('unreadable' in read && read.unreadable).toEqual(
    reason instanceof RegExp ? expect.stringMatching(reason) : reason,
  )
})
