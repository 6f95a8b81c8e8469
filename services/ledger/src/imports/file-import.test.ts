import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anOperation, aTransaction } from '../../test/imports/samples.ts'
import {
  addLater,
  balancesToSet,
  createTransactions,
  findInstants,
  settleFile,
} from './file-import.ts'
import type { FileBalances } from './formats/statement.ts'

const NOW = new Date('2026-02-01T12:00:00Z')
const EARLIER = new Date('2026-01-20T12:00:00Z')
const LATER = new Date('2026-01-31T12:00:00Z')
const FUTURE = new Date('2099-01-01T00:00:00Z')

const rows = ['first', 'second'].map((name, index) => ({
  uploadIdentifier: `id-${name}`,
  amount: BigInt(index + 1),
  date: EARLIER,
  name,
  originalName: `${name} memo`,
  originalMerchantName: name,
  isPending: false,
}))

function balancesOf(balances: Partial<FileBalances> = {}): FileBalances {
  const stated = { current: 100n, available: 90n, limit: null, asOf: LATER, availableAsOf: null }
  return { ...stated, ...balances }
}

test('the first row of a file gets the largest ID', () => {
  const ids = { accountId: 'acct_1', bankAccountId: 'bac_1' }
  const of = { ...ids, transactionIds: ['txn_a', 'txn_b'], now: NOW }
  const common = { source: 'upload', createdAt: NOW, date: EARLIER } as const
  expect(createTransactions(rows, of)).toEqual([
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

test.each([
  ['the available balance has its own', { availableAsOf: EARLIER }, [LATER, EARLIER]],
  ['it has none of its own', {}, [LATER, LATER]],
  ['it is dated in the future', { availableAsOf: FUTURE }, [LATER, NOW]],
  ['both are', { asOf: FUTURE, availableAsOf: FUTURE }, [NOW, NOW]],
])('the instants of balances where %s', (_name, balances, [asOf, availableAsOf]) => {
  expect(findInstants(balancesOf(balances), NOW)).toEqual({ asOf, availableAsOf })
})

describe('the balances of a file', () => {
  const opened = { availableBalance: 40n, currentBalance: 50n, limitBalance: 7n }
  const of = (
    balances: Partial<FileBalances>,
    { known = null as Date | null, newCount = 1n, later = nothing } = {},
  ) => {
    const bankAccount = aBankAccount({ ...opened, balancesAsOf: known })
    const locked = { bankAccount, envelopes: [], operation: anOperation('txup_1') }
    const own = balancesToSet(locked, { balances: balancesOf(balances), newCount })
    const stated = own && addLater(own, later)
    return settleFile(locked, { currency: 'USD', stated, causeId: 'txup_1' })
  }
  const nothing = { available: 0n, current: 0n }
  const figures = (...given: Parameters<typeof of>) => {
    const { currentBalance, availableBalance, limitBalance, balancesAsOf } = of(
      ...given,
    ).bankAccount
    return [currentBalance, availableBalance, limitBalance, balancesAsOf]
  }

  // Cases of the rules in docs/files.md#balances. Expected are the current, available and limit
  // balance of the bank account, and their instant.
  test.each([
    ['are set if none were stated before', {}, {}, [100n, 90n, 7n, LATER]],
    ['are set if earlier ones were stated', {}, { known: EARLIER }, [100n, 90n, 7n, LATER]],
    ['of the same instant are ignored', {}, { known: LATER }, [50n, 40n, 7n, LATER]],
    ['that are older are ignored', { asOf: EARLIER }, { known: LATER }, [50n, 40n, 7n, LATER]],
    ['without a new row are ignored', {}, { newCount: 0n }, [50n, 40n, 7n, null]],
    ['without an instant are ignored', { asOf: null }, {}, [50n, 40n, 7n, null]],
    ['of the future hold for now', { asOf: FUTURE }, {}, [100n, 90n, 7n, NOW]],
    [
      'of the future are ignored the second time',
      { asOf: FUTURE },
      { known: NOW },
      [50n, 40n, 7n, NOW],
    ],
    ['that are not stated stay', { current: null, limit: 5n }, {}, [50n, 90n, 5n, LATER]],
    ['move the available one that is not stated', { available: null }, {}, [100n, 90n, 7n, LATER]],
    [
      'move it with later bookings, which it has already',
      { available: null },
      { later: { available: -30n, current: -20n } },
      [80n, 70n, 7n, LATER],
    ],
    ['are none', { current: null, available: null }, {}, [50n, 40n, 7n, null]],
    [
      'get later bookings added',
      { limit: 5n },
      { later: { available: -30n, current: -20n } },
      [80n, 60n, 5n, LATER],
    ],
    [
      'get them added only where they are stated',
      { current: null },
      { later: { available: -30n, current: -20n } },
      [50n, 60n, 7n, LATER],
    ],
  ])('%s', (_name, balances, state, expected) => {
    expect(figures(balances, state)).toEqual(expected)
  })

  test('are journaled as the upload', () => {
    const common = { operationId: 'txup_1', cause: 'upload', causeId: 'txup_1', date: null }
    expect(of({}).entries).toMatchObject([
      { ...common, pot: 'available', delta: 50n, amount: 90n },
      { ...common, pot: 'current', delta: 50n, amount: 100n },
    ])
  })

  test.each([
    [{ currency: 'CAD' }, 'The file is in USD, the account in CAD: choose another account'],
    [{ deletedAt: NOW }, 'archived'],
    [{ linkType: 'feed' }, 'manual link'],
  ] as const)('are not set on an account with %j', (account, reason) => {
    const locked = {
      bankAccount: aBankAccount(account),
      envelopes: [],
      operation: anOperation('txup_1'),
    }
    const settled = () => settleFile(locked, { currency: 'USD', stated: null, causeId: 'txup_1' })
    expect(settled).toThrow(reason)
  })
})
