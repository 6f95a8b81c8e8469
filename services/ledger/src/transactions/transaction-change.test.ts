import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation, aTransaction } from '../../test/imports/samples.ts'
import type { BankAccount } from '../book/bank-account.ts'
import type { Transaction } from '../book/transaction.ts'
import { changeTransaction } from './transaction-change.ts'
import type { TransactionPatch } from './transaction-creation.ts'

const LATER = new Date('2026-03-01T06:00:00Z')

function change(
  patch: TransactionPatch,
  before: Partial<Transaction> = {},
  account: Partial<BankAccount> = {},
) {
  return changeTransaction(
    {
      bankAccount: aBankAccount({ expenses: 3000n, goals: 500n, ...account }),
      envelopes: [
        anEnvelope({ spendingId: 'spnd_a', currentAmount: 3000n }),
        anEnvelope({ spendingId: 'spnd_b', spendingType: 'goal', currentAmount: 500n }),
      ],
      operation: anOperation(),
      transaction: aTransaction(before),
    },
    patch,
  )
}

const ON_A = { spendingId: 'spnd_a', spendingAmount: 1000n }

describe('a changed transaction', () => {
  test('takes the fields that are named and keeps its originals', () => {
    const patch = { name: 'Dinner', merchantName: 'Grill', date: LATER, isPending: true }
    const { transaction, settlement } = change(patch)
    const users = { ruleId: null, value: null }
    const fieldMarks = { name: users, merchantName: users }
    expect(transaction).toEqual(aTransaction({ ...patch, fieldMarks }))
    expect(settlement.envelopes).toEqual([])
    expect(settlement.entries).toEqual([])
  })

  // Null and an empty text clear the field; a missing field is kept.
  test.each([
    { patch: { merchantName: '' }, merchantName: null },
    { patch: { merchantName: null }, merchantName: null },
    { patch: {}, merchantName: 'Deli' },
  ])('merges $patch', ({ patch, merchantName }) => {
    expect(change(patch, { merchantName: 'Deli' }).transaction.merchantName).toBe(merchantName)
  })

  // Providers report card verifications with an amount of 0.
  test('takes a name and an envelope also where its provider says 0', () => {
    const account = { linkType: 'aggregator' as const }
    const patch = { name: 'Card check', spendingId: 'spnd_a' }
    const { transaction } = change(patch, { amount: 0n, source: 'aggregator' }, account)
    expect(transaction).toMatchObject({ ...patch, amount: 0n, spendingAmount: 0n })
  })

  test('ignores null where a value is needed', () => {
    const before = { name: 'Dinner', isPending: true }
    const { transaction } = change({ name: null, amount: null, isPending: null }, before)
    expect(transaction).toEqual(aTransaction(before))
  })

  // The transaction's amount is 1200. With `ON_A`, envelope A has given 1000 of it. At the start,
  // envelope A holds 3000 and goal B holds 500.
  test.each([
    { from: {}, patch: { spendingId: 'spnd_a' }, gave: 1200n, a: 1800n, b: 500n, ids: 'spnd_a' },
    { from: {}, patch: { spendingId: 'spnd_b' }, gave: 500n, a: 3000n, b: 0n, ids: 'spnd_b' },
    { from: ON_A, patch: { spendingId: null }, gave: null, a: 4000n, b: 500n, ids: 'spnd_a' },
    {
      from: ON_A,
      patch: { spendingId: 'spnd_b' },
      gave: 500n,
      a: 4000n,
      b: 0n,
      ids: 'spnd_a,spnd_b',
    },
    {
      from: ON_A,
      patch: { spendingId: 'spnd_b', amount: 300n },
      gave: 300n,
      a: 4000n,
      b: 200n,
      ids: 'spnd_a,spnd_b',
    },
    { from: ON_A, patch: { amount: 5000n }, gave: 4000n, a: 0n, b: 500n, ids: 'spnd_a' },
    { from: ON_A, patch: { amount: 400n }, gave: 400n, a: 3600n, b: 500n, ids: 'spnd_a' },
    { from: ON_A, patch: { spendingId: 'spnd_a' }, gave: 1000n, a: 3000n, b: 500n, ids: '' },
    { from: ON_A, patch: { amount: 1200n }, gave: 1000n, a: 3000n, b: 500n, ids: '' },
    { from: ON_A, patch: { name: 'Dinner' }, gave: 1000n, a: 3000n, b: 500n, ids: '' },
    { from: {}, patch: { amount: 9000n }, gave: null, a: 3000n, b: 500n, ids: '' },
  ])('from $from by $patch', ({ from, patch, gave, a, b, ids }) => {
    const { transaction, settlement } = change(patch, from)
    const { expenses, goals, availableBalance, currentBalance } = settlement.bankAccount
    expect(transaction.spendingAmount).toBe(gave)
    expect({ expenses, goals }).toEqual({ expenses: a, goals: b })
    expect(settlement.envelopes.map((one) => one.spendingId).join()).toBe(ids)
    expect([availableBalance, currentBalance]).toEqual([0n, 0n])
  })

  test('becomes a deposit only when the same request unassigns it', () => {
    expect(() => change({ amount: -1n }, ON_A)).toThrow('Invalid request')
    const { transaction } = change({ amount: -1n, spendingId: null }, ON_A)
    const fieldMarks = { spendingId: { ruleId: null, value: null } }
    expect(transaction).toEqual(aTransaction({ amount: -1n, fieldMarks }))
    expect(() => change({ spendingId: 'spnd_a' }, { amount: -1n })).toThrow('Invalid request')
  })

  test('cannot be of amount 0 or go to an unknown envelope', () => {
    expect(() => change({ amount: 0n })).toThrow('Invalid request')
    expect(() => change({ spendingId: 'spnd_x' }, ON_A)).toThrow('Invalid request')
  })

  test('on a feed or aggregator link takes names and envelope only', () => {
    const feed = { linkType: 'feed' } as const
    const patch = { name: 'Dinner', merchantName: 'Grill', spendingId: 'spnd_a' }
    expect(change(patch, {}, feed).transaction.name).toBe('Dinner')
    for (const [key, value] of Object.entries({ amount: 5n, date: LATER, isPending: false })) {
      try {
        change({ [key]: value }, {}, { linkType: 'aggregator' })
        throw new Error(`${key} was accepted`)
      } catch (error) {
        expect(problemsOf(error as ConnectError)).toMatchObject({ [key]: 'key not expected' })
      }
    }
  })

  test('is not found once deleted, and not writable in an archived account', () => {
    expect(() => change({ name: 'x' }, { deletedAt: LATER })).toThrow('does not exist')
    expect(() => change({ name: 'x' }, {}, { deletedAt: LATER })).toThrow('archived')
  })

  test('throws a plain Error if its envelope is not open: the stored rows are inconsistent', () => {
    const broken = { spendingId: 'spnd_gone', spendingAmount: 5n }
    expect(() => change({ spendingId: null }, broken)).toThrow('is not open')
  })
})
