import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation, aTransaction } from '../../test/imports/samples.ts'
import type { BankAccount } from '../book/bank-account.ts'
import type { Envelope } from '../book/envelope.ts'
import { createTransaction, type NewTransaction } from './transaction-creation.ts'

const DATE = new Date('2026-02-01T06:00:00Z')

function create(
  body: Partial<NewTransaction>,
  state: { bankAccount?: BankAccount; envelopes?: Envelope[] } = {},
) {
  const locked = { bankAccount: aBankAccount(), envelopes: [], operation: anOperation(), ...state }
  return createTransaction(locked, {
    transactionId: 'txn_1',
    amount: 1200n,
    date: DATE,
    name: 'Lunch',
    merchantName: null,
    spendingId: null,
    adjustsBalance: false,
    isPending: false,
    ...body,
  })
}

describe('a new transaction', () => {
  test('is manual, and its original name is its name', () => {
    const { transaction, settlement } = create({ merchantName: 'Deli' })
    const createdAt = anOperation().now
    expect(transaction).toEqual(aTransaction({ merchantName: 'Deli', date: DATE, createdAt }))
    const bankAccount = aBankAccount({ version: 2n })
    expect(settlement).toEqual({ bankAccount, envelopes: [], entries: [] })
  })

  // Each transaction changes the available balance, a posted one the current too (docs/money.md).
  test.each([
    { amount: 1200n, isPending: false, available: -1200n, current: -1200n },
    { amount: 1200n, isPending: true, available: -1200n, current: 0n },
    { amount: -5000n, isPending: false, available: 5000n, current: 5000n },
    { amount: -5000n, isPending: true, available: 5000n, current: 0n },
  ])('of $amount, pending $isPending, adjusts the balances', (row) => {
    const { settlement } = create({ ...row, adjustsBalance: true })
    const { availableBalance, currentBalance } = settlement.bankAccount
    expect({ availableBalance, currentBalance }).toEqual({
      availableBalance: row.available,
      currentBalance: row.current,
    })
  })

  test('takes from its envelope what it holds, which may be nothing', () => {
    // Nothing is taken, so the day of its last payment stays.
    const spent = anEnvelope({ periodSpent: 100n, periodSpentOn: new Date(0) })
    const empty = create({ spendingId: 'spnd_e' }, { envelopes: [spent] })
    expect(empty.transaction.spendingAmount).toBe(0n)
    expect(empty.settlement.entries).toEqual([])
    expect(empty.settlement.envelopes).toEqual([{ ...spent, version: 2n }])

    const short = create(
      { spendingId: 'spnd_e' },
      {
        bankAccount: aBankAccount({ expenses: 500n }),
        envelopes: [anEnvelope({ currentAmount: 500n })],
      },
    )
    expect(short.transaction.spendingAmount).toBe(500n)
    expect(short.settlement.envelopes).toEqual([
      anEnvelope({
        currentAmount: 0n,
        periodSpent: 500n,
        periodSpentOn: short.transaction.date,
        version: 2n,
      }),
    ])
    expect(short.settlement.bankAccount.expenses).toBe(0n)
  })

  test('keeps a blank merchant name as none', () => {
    expect(create({ merchantName: '' }).transaction.merchantName).toBeNull()
  })

  test('is refused when it breaks a rule', () => {
    const fieldOf = (attempt: () => unknown) => {
      try {
        attempt()
        return 'accepted'
      } catch (error) {
        return Object.keys(problemsOf(error as ConnectError) ?? {}).join()
      }
    }
    const deposit = { amount: -1200n, spendingId: 'spnd_e' }
    const closed = { envelopes: [anEnvelope({ closedAt: DATE })] }
    expect(fieldOf(() => create({ amount: 0n }))).toBe('amount')
    expect(fieldOf(() => create(deposit, { envelopes: [anEnvelope()] }))).toBe('spendingId')
    expect(fieldOf(() => create({ spendingId: 'spnd_x' }))).toBe('spendingId')
    expect(fieldOf(() => create({ spendingId: 'spnd_e' }, closed))).toBe('spendingId')
  })

  test('is refused on a feed link, under an archived account and under a deleted link', () => {
    const on = (changes: Partial<BankAccount>) => () =>
      create({}, { bankAccount: aBankAccount(changes) })
    expect(on({ linkType: 'feed' })).toThrow('manual link')
    expect(on({ deletedAt: DATE })).toThrow('archived')
    expect(on({ removedAt: DATE })).toThrow('does not exist')
  })

  test('is refused when a balance would leave the range', () => {
    const bankAccount = aBankAccount({ availableBalance: -9007199254740991n })
    const body = { amount: 1n, adjustsBalance: true, isPending: true }
    expect(() => create(body, { bankAccount })).toThrow('range')
    expect(() => create({ amount: 9007199254740992n })).toThrow('range')
  })
})
