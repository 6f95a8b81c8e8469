import { describe, expect, test } from '@jest/globals'
import { aBankAccount, aTransaction } from '../test/samples.ts'
import { balancesToSet, requireCurrencyOf, transactionsOf } from './file-import.ts'
import type { FileBalances, FileStatement } from './ofx.ts'

const NOW = new Date('2026-02-01T12:00:00Z')
const EARLIER = new Date('2026-01-20T12:00:00Z')
const LATER = new Date('2026-01-31T12:00:00Z')

function file(balances: Partial<FileBalances> = {}): FileStatement {
  return {
    kind: 'bank',
    currency: 'USD',
    balances: { current: 100n, available: 90n, limit: null, asOf: LATER, ...balances },
    rows: ['first', 'second'].map((name, index) => ({
      uploadIdentifier: `id-${name}`,
      amount: BigInt(index + 1),
      date: EARLIER,
      name,
      originalName: `${name} memo`,
      originalMerchantName: name,
    })),
    skipped: [],
  }
}

test('the first row of a file gets the largest ID', () => {
  const bankAccount = aBankAccount()
  const of = { bankAccount, transactionIds: ['txn_a', 'txn_b'], now: NOW }
  const common = { source: 'upload', createdAt: NOW, date: EARLIER } as const
  expect(transactionsOf(file(), of)).toEqual([
    aTransaction({
      ...common,
      transactionId: 'txn_a',
      amount: 2n,
      name: 'second',
      originalName: 'second memo',
      originalMerchantName: 'second',
      uploadIdentifier: 'id-second',
    }),
    aTransaction({
      ...common,
      transactionId: 'txn_b',
      amount: 1n,
      name: 'first',
      originalName: 'first memo',
      originalMerchantName: 'first',
      uploadIdentifier: 'id-first',
    }),
  ])
})

describe('the balances of a file', () => {
  const set = (balances: Partial<FileBalances>, stored: Date | null = null) =>
    balancesToSet(aBankAccount({ balancesAsOf: stored }), file(balances), NOW)

  test('are set where nobody has stated any', () => {
    expect(set({})).toEqual({ to: { current: 100n, available: 90n }, asOf: LATER })
    expect(set({ asOf: null })).toEqual({ to: { current: 100n, available: 90n }, asOf: null })
  })

  test('that the file does not state stay', () => {
    expect(set({ current: null, limit: 5n })?.to).toEqual({ available: 90n, limit: 5n })
    expect(set({ current: null, available: null })).toBeNull()
  })

  test('older than the stored ones stay out', () => {
    expect(set({ asOf: EARLIER }, LATER)).toBeNull()
    expect(set({ asOf: null }, LATER)).toBeNull()
    expect(set({ asOf: LATER }, LATER)?.asOf).toEqual(LATER)
    expect(set({ asOf: LATER }, EARLIER)?.asOf).toEqual(LATER)
  })

  test('of the future count as of now', () => {
    expect(set({ asOf: new Date('2099-01-01T00:00:00Z') })?.asOf).toEqual(NOW)
  })
})

test('a file in another currency is refused', () => {
  expect(() => requireCurrencyOf(aBankAccount(), file())).not.toThrow()
  expect(() => requireCurrencyOf(aBankAccount({ currency: 'CAD' }), file())).toThrow(
    'The file is in USD, the bank account in CAD',
  )
})
