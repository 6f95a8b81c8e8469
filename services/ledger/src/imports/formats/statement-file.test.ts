import { expect, test } from '@jest/globals'
import { statementOf } from '../../../test/imports/uploading.ts'
import { readStatementFile } from './statement-file.ts'

const settings = { currency: 'USD', timezone: 'America/Chicago' }

function asOf(file: string, kind: 'ofx' | 'qif' = 'ofx') {
  const bytes = new TextEncoder().encode(file)
  const statement = readStatementFile({ bytes, settings, format: { kind } })
  return 'unreadable' in statement ? statement : (statement.balances.asOf?.toISOString() ?? null)
}

// The only row of each file is dated 10 January 2026 (docs/files.md#balances).
test.each([
  ['its own date', { ledger: '1.00', asOf: '20260105' }, '2026-01-06T05:59:59.000Z'],
  ['the day of its newest row', { ledger: '1.00', asOf: null }, '2026-01-11T05:59:59.000Z'],
])('the balance of a file holds for the end of %s', (_name, balances, instant) => {
  expect(asOf(statementOf({ a: '-1.00' }, balances))).toBe(instant)
})

test('a file without a balance, or without a row, has no instant', () => {
  expect(asOf(statementOf({ a: '-1.00' }))).toBeNull()
  expect(asOf(statementOf({}, { ledger: '1.00', asOf: null }))).toBeNull()
  expect(asOf('!Type:Bank\nD1/1/26\nT-1.00\nPShop\n^\n', 'qif')).toBeNull()
})
