import { describe, expect, test } from '@jest/globals'
import { aProviderRow, aTransaction } from '../../test/imports/samples.ts'
import type { ProviderRow, SyncedTransaction } from './provider-transaction.ts'
import { findMatch } from './sync-match.ts'
import { createSyncedIndex } from './synced-transactions.ts'

const DAY = 86_400_000
const FIRST = new Date('2026-03-02T06:00:00Z')

function day(offset: number): Date {
  return new Date(FIRST.getTime() + offset * DAY)
}

/** Returns a transaction with one record for each row, of which only the last is live. */
function synced(transactionId: string, ...rows: Partial<ProviderRow>[]): SyncedTransaction {
  const records = rows.map((one, index) => {
    const { displayName, originalName, ...row } = aProviderRow({ date: FIRST, ...one })
    const { accountId, bankAccountId, createdAt } = aTransaction()
    const deletedAt = index < rows.length - 1 ? day(index) : null
    const names = { accountId, bankAccountId, createdAt, recordId: 'ptxn_1', transactionId }
    const joining = { matchReason: 'new' as const, joined: null, rejectedIds: null }
    return { ...row, ...names, ...joining, deletedAt }
  })
  return { transaction: aTransaction({ transactionId }), records }
}

/** Returns the transaction after the provider has withdrawn its last record. */
function removed({ transaction, records }: SyncedTransaction): SyncedTransaction {
  return { transaction, records: records.map((one) => ({ ...one, deletedAt: day(20) })) }
}

type Source = 'aggregator' | 'feed'

function matchOf(source: Source, row: Partial<ProviderRow>, ...known: SyncedTransaction[]) {
  const unknown = { providerTransactionId: 'new', date: FIRST, ...row }
  const found = findMatch(aProviderRow(unknown), createSyncedIndex(known), { source })
  return found && `${found.synced.transaction.transactionId} ${found.reason}`
}

/** Returns the match of both sources, which is expected to be equal. */
function match(row: Partial<ProviderRow>, ...known: SyncedTransaction[]) {
  const found = matchOf('aggregator', row, ...known)
  expect(matchOf('feed', row, ...known)).toBe(found)
  return found
}

const pending = { providerTransactionId: 'a', isPending: true }

describe('a row with an unknown ID is', () => {
  test.each<[string, Partial<ProviderRow>, SyncedTransaction[], string | null]>([
    ['new without known transactions', {}, [], null],
    [
      'the pending one that it names, whatever its texts',
      { pendingProviderTransactionId: 'a', amount: 1n, name: 'x', date: day(90) },
      [synced('txn_1', pending)],
      'txn_1 pending-id',
    ],
    [
      'not the pending one that it names if that is posted already',
      { pendingProviderTransactionId: 'a' },
      [synced('txn_1', pending, { providerTransactionId: 'b' })],
      null,
    ],
    [
      'the pending one that a posted one names',
      { providerTransactionId: 'a', isPending: true },
      [synced('txn_1', { pendingProviderTransactionId: 'a' })],
      'txn_1 posted-first',
    ],
    [
      'the similar pending one',
      { date: day(3), name: 'DELI #5, Chicago', merchantName: '' },
      [synced('txn_1', { ...pending, name: 'Deli Chicago IL', merchantName: '' })],
      'txn_1 amount-date-name',
    ],
    [
      'of several the nearest in time',
      { date: day(3) },
      [synced('txn_1', pending), synced('txn_2', { ...pending, date: day(2) })],
      'txn_2 amount-date-name',
    ],
    [
      'of equal ones the oldest',
      {},
      [synced('txn_2', pending), synced('txn_1', pending)],
      'txn_1 amount-date-name',
    ],
    ['new beside an equal posted one', {}, [synced('txn_1', {})], null],
    ['new as a pending one beside an equal pending one', pending, [synced('txn_1', pending)], null],
    [
      'new if only a few letters agree',
      { name: 'De', merchantName: '' },
      [synced('t', pending)],
      null,
    ],
    [
      'new if neither has letters',
      { name: '#1', merchantName: '' },
      [synced('txn_1', { ...pending, name: '#2', merchantName: '' })],
      null,
    ],
    [
      'the equal one of an earlier ID of the account',
      { providerAccountId: 'account_2' },
      [synced('txn_1', {})],
      'txn_1 re-consent',
    ],
    [
      'not one that the current ID has too',
      { providerAccountId: 'account_2' },
      [synced('txn_1', {}, { providerTransactionId: 'b', providerAccountId: 'account_2' })],
      null,
    ],
    [
      'not of another day',
      { providerAccountId: 'account_2', date: day(1) },
      [synced('txn_1', {})],
      null,
    ],
  ])('%s', (_case, row, known, expected) => {
    expect(match(row, ...known)).toBe(expected)
  })

  test.each([
    [-2, null],
    [-1, 'txn_1 amount-date-name'],
    [0, 'txn_1 amount-date-name'],
    [10, 'txn_1 amount-date-name'],
    [11, null],
  ])('%i days after the pending one: %p', (days, expected) => {
    expect(match({ date: day(days) }, synced('txn_1', pending))).toBe(expected)
  })

  test('of the same day across the change to summer time', () => {
    const before = new Date('2026-03-08T06:00:00Z')
    const after = new Date('2026-03-18T05:00:00Z')
    const known = synced('txn_1', { ...pending, date: before })
    expect(match({ date: after }, known)).toBe('txn_1 amount-date-name')
  })
})

describe('a pending row after its posted one, which neither names, is', () => {
  const late = { isPending: true }
  const posted = { providerTransactionId: 'b' }

  test.each<[string, Partial<ProviderRow>, SyncedTransaction[], string | null]>([
    ['the posted one of the same day', late, [synced('t', posted)], 't posted-first'],
    [
      'the one with a text alike',
      { ...late, name: 'DELI #5, Chicago', merchantName: '' },
      [synced('t', { ...posted, name: 'Deli Chicago IL', merchantName: '' })],
      't posted-first',
    ],
    [
      'of several the nearest in time',
      late,
      [synced('t_1', { ...posted, date: day(3) }), synced('t_2', { ...posted, date: day(2) })],
      't_2 posted-first',
    ],
    [
      'of equal ones the oldest',
      late,
      [synced('t_2', posted), synced('t_1', posted)],
      't_1 posted-first',
    ],
    ['new with another amount', { ...late, amount: 1201n }, [synced('t', posted)], null],
    [
      'new with another text',
      { ...late, name: 'Garage', merchantName: 'Garage' },
      [synced('t', posted)],
      null,
    ],
    ['new if the posted one had its own pending one', late, [synced('t', pending, posted)], null],
    [
      'new if the posted one had a pending one of an earlier ID of the account',
      late,
      [synced('t', { ...pending, providerAccountId: 'account_2' }, posted)],
      null,
    ],
    [
      'new if the posted one took a late pending one already',
      late,
      [synced('t', { ...pending, providerTransactionId: 'c' }, posted)],
      null,
    ],
    [
      'new if the posted one names another',
      late,
      [synced('t', { ...posted, pendingProviderTransactionId: 'x' })],
      null,
    ],
    [
      'new if the posted one is of an earlier ID of the account',
      { ...late, date: day(-1), providerAccountId: 'account_2' },
      [synced('t', posted)],
      null,
    ],
    ['new if the posted one was removed', late, [removed(synced('t', posted))], null],
    [
      'the equal pending one of an earlier ID of the account, before a posted one',
      { ...late, providerAccountId: 'account_2' },
      [synced('t_1', { ...posted, providerAccountId: 'account_2' }), synced('t_2', pending)],
      't_2 re-consent',
    ],
  ])('%s', (_case, row, known, expected) => {
    expect(matchOf('feed', row, ...known)).toBe(expected)
    const isByPosted = expected?.endsWith('posted-first')
    expect(matchOf('aggregator', row, ...known)).toBe(isByPosted ? null : expected)
  })

  test.each([
    [-1, null],
    [0, 't posted-first'],
    [1, 't posted-first'],
    [10, 't posted-first'],
    [11, null],
  ])('matched if posted %i days later: %p', (days, expected) => {
    const known = synced('t', { ...posted, date: day(days) })
    expect(matchOf('feed', late, known)).toBe(expected)
  })
})
