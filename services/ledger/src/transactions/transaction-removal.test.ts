import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation, aTransaction } from '../../test/imports/samples.ts'
import type { Transaction } from './transaction.ts'
import { type Removal, removeTransaction } from './transaction-removal.ts'

const GOAL = anEnvelope({
  spendingId: 'spnd_g',
  spendingType: 'goal',
  currentAmount: 300n,
  usedAmount: 900n,
  periodSpent: 900n,
})
const ASSIGNED = { spendingId: 'spnd_g', spendingAmount: 700n }
const ACCOUNT = { availableBalance: 5000n, currentBalance: 6000n, goals: 300n }

function remove(removal: Partial<Removal>, before: Partial<Transaction> = {}, account = {}) {
  return removeTransaction(
    {
      bankAccount: aBankAccount({ ...ACCOUNT, ...account }),
      envelopes: [GOAL],
      operation: anOperation(),
      transaction: aTransaction(before),
    },
    { adjustsBalance: false, soft: true, ...removal },
  )
}

describe('a deleted transaction', () => {
  test('without adjusting leaves every amount, and its envelope keeps the deduction', () => {
    const { settlement, transaction } = remove({}, ASSIGNED)
    expect(transaction).toEqual(aTransaction({ ...ASSIGNED, deletedAt: anOperation().now }))
    expect(settlement.bankAccount).toEqual(aBankAccount({ ...ACCOUNT, version: 2n }))
    expect(settlement.envelopes).toEqual([])
    const rows = settlement.entries.map(({ pot, delta, amount, cause }) => [
      pot,
      cause,
      delta,
      amount,
    ])
    expect(rows).toEqual([
      ['envelope', 'deletion', 700n, 1000n],
      ['envelope', 'kept', -700n, 300n],
      ['used', 'deletion', -700n, 200n],
      ['used', 'kept', 700n, 900n],
    ])
  })

  test('with adjusting gives back to balances and envelope, and is unassigned', () => {
    const { settlement, transaction } = remove({ adjustsBalance: true }, ASSIGNED)
    expect(transaction).toEqual(aTransaction({ deletedAt: anOperation().now }))
    expect(settlement.bankAccount).toMatchObject({
      availableBalance: 6200n,
      currentBalance: 7200n,
      goals: 1000n,
    })
    expect(settlement.envelopes).toEqual([
      { ...GOAL, currentAmount: 1000n, usedAmount: 200n, periodSpent: 200n, version: 2n },
    ])
  })

  // Deleting a pending transaction changes only the available balance; deleting a deposit lowers
  // the available and the current balance.
  test.each([
    { amount: 1200n, isPending: true, available: 6200n, current: 6000n },
    { amount: 1200n, isPending: false, available: 6200n, current: 7200n },
    { amount: -5000n, isPending: false, available: 0n, current: 1000n },
  ])('of $amount, pending $isPending, adjusts the balances', (row) => {
    const { amount, isPending } = row
    const { bankAccount } = remove({ adjustsBalance: true }, { amount, isPending }).settlement
    expect(bankAccount).toMatchObject({
      availableBalance: row.available,
      currentBalance: row.current,
    })
  })

  test('is removed as a row when it is not soft', () => {
    expect(remove({ soft: false }, ASSIGNED).transaction).toBeNull()
    expect(remove({ soft: false, adjustsBalance: true }, ASSIGNED).transaction).toBeNull()
  })

  test('changes nothing when it was deleted before', () => {
    const deleted = { ...ASSIGNED, deletedAt: new Date('2026-01-15T00:00:00Z') }
    for (const soft of [true, false]) {
      const { settlement, transaction } = remove({ soft, adjustsBalance: true }, deleted)
      expect(settlement.bankAccount).toEqual(aBankAccount({ ...ACCOUNT, version: 2n }))
      expect(settlement.entries).toEqual([])
      expect(settlement.envelopes).toEqual([])
      expect(transaction).toEqual(soft ? aTransaction(deleted) : null)
    }
  })

  test('stays where the link is not manual or the account is archived', () => {
    expect(() => remove({}, {}, { linkType: 'feed' })).toThrow('manual link')
    expect(() => remove({}, {}, { deletedAt: new Date() })).toThrow('archived')
  })
})
