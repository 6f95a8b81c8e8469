import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anOperation, aTransaction } from '../test/samples.ts'
import type { BankAccount } from './bank-account.ts'
import { settleFile, transactionsOf } from './file-import.ts'
import type { FileBalances, FileStatement } from './statement.ts'

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
      isPending: false,
    })),
    skipped: [],
  }
}

test('the first row of a file gets the largest ID', () => {
  const ids = { accountId: 'acct_1', bankAccountId: 'bac_1' }
  const of = { ...ids, transactionIds: ['txn_a', 'txn_b'], now: NOW }
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
  const set = (balances: Partial<FileBalances>, account: Partial<BankAccount> = {}) => {
    const bankAccount = aBankAccount({ limitBalance: 7n, ...account })
    const locked = { bankAccount, envelopes: [], operation: anOperation('txup_1') }
    return settleFile(locked, { statement: file(balances), causeId: 'txup_1' })
  }
  const figures = (balances: Partial<FileBalances>, stored: Date | null = null) => {
    const { bankAccount } = set(balances, { balancesAsOf: stored })
    const { currentBalance, availableBalance, limitBalance, balancesAsOf } = bankAccount
    return [currentBalance, availableBalance, limitBalance, balancesAsOf]
  }

  test('are set where nobody has stated any', () => {
    expect(figures({})).toEqual([100n, 90n, 7n, LATER])
    expect(figures({ asOf: null })).toEqual([100n, 90n, 7n, null])
  })

  test('that the file does not state stay', () => {
    expect(figures({ current: null, limit: 5n })).toEqual([0n, 90n, 5n, LATER])
    expect(figures({ current: null, available: null })).toEqual([0n, 0n, 7n, null])
  })

  test('older than the stored ones stay out', () => {
    expect(figures({ asOf: EARLIER }, LATER)).toEqual([0n, 0n, 7n, LATER])
    expect(figures({ asOf: null }, LATER)).toEqual([0n, 0n, 7n, LATER])
    expect(figures({ asOf: LATER }, LATER)).toEqual([100n, 90n, 7n, LATER])
    expect(figures({ asOf: LATER }, EARLIER)).toEqual([100n, 90n, 7n, LATER])
  })

  test('of the future count as of now', () => {
    expect(figures({ asOf: new Date('2099-01-01T00:00:00Z') })[3]).toEqual(NOW)
  })

  test('are journaled as the upload', () => {
    const common = { operationId: 'txup_1', cause: 'upload', causeId: 'txup_1' }
    expect(set({}, { availableBalance: 40n }).entries).toMatchObject([
      { ...common, pot: 'available', delta: 50n, amount: 90n },
      { ...common, pot: 'current', delta: 100n, amount: 100n },
    ])
  })

  test.each([
    [{ currency: 'CAD' }, 'The file is in USD, the account in CAD'],
    [{ deletedAt: NOW }, 'archived'],
    [{ linkType: 'feed' }, 'manual link'],
  ] as const)('are not set on an account with %j', (account, reason) => {
    expect(() => set({}, account)).toThrow(reason)
  })
})
