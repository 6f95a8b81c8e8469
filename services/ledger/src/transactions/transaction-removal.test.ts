import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation, aTransaction } from '../../test/imports/samples.ts'
import type { Transaction } from '../book/transaction.ts'
import { isBooking } from '../money/bookings.ts'
import { type Removal, removeTransaction, restoreTransaction } from './transaction-removal.ts'

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
      bookings: [],
    },
    { adjustsBalance: false, soft: true, ...removal },
  )
}

describe('a deleted transaction', () => {
  test('without adjusting leaves every amount, and its envelope keeps the deduction', () => {
    const { settlement, transaction } = remove({}, ASSIGNED)
    const deleted = { deletedAt: anOperation().now, adjustedByDeletion: false }
    expect(transaction).toEqual(aTransaction({ ...ASSIGNED, ...deleted }))
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
    const deleted = { deletedAt: anOperation().now, adjustedByDeletion: true }
    expect(transaction).toEqual(aTransaction({ ...deleted, unassignedByDeletion: 'spnd_g' }))
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

describe('a restored transaction', () => {
  const restore = (removal: Partial<Removal>, closedAt: Date | null = null) => {
    const { settlement, transaction } = remove(removal, ASSIGNED)
    const { bankAccount, envelopes } = settlement
    const envelope = { ...(envelopes[0] ?? GOAL), closedAt }
    const bookings = settlement.entries.filter(isBooking)
    const locked = { bankAccount, envelopes: [envelope], operation: anOperation(), bookings }
    return restoreTransaction({ ...locked, transaction: transaction ?? aTransaction() })
  }
  const rowsOf = ({ settlement }: ReturnType<typeof restoreTransaction>) =>
    settlement.entries.map(({ pot, cause, delta, amount }) => [pot, cause, delta, amount])

  test('takes up what its envelope has kept, and changes no amount', () => {
    const restored = restore({})
    expect(restored.transaction).toEqual(aTransaction(ASSIGNED))
    expect(restored.settlement).toMatchObject({ bankAccount: ACCOUNT, envelopes: [] })
    expect(rowsOf(restored)).toEqual([
      ['envelope', 'kept', 700n, 1000n],
      ['envelope', 'transaction', -700n, 300n],
      ['used', 'kept', -700n, 200n],
      ['used', 'transaction', 700n, 900n],
    ])
  })

  test('is booked on balances and envelope again if its deletion returned the money', () => {
    const restored = restore({ adjustsBalance: true })
    const spendingAmount = 1000n // min(held, 1200): the envelope holds more than it gave before
    expect(restored.transaction).toEqual(aTransaction({ spendingId: 'spnd_g', spendingAmount }))
    expect(restored.settlement.bankAccount).toMatchObject({ ...ACCOUNT, goals: 0n })
    expect(restored.settlement.envelopes).toMatchObject([{ currentAmount: 0n, usedAmount: 1200n }])
  })

  test('comes back unassigned if its envelope was closed meanwhile', () => {
    const restored = restore({ adjustsBalance: true }, anOperation().now)
    expect(restored.transaction).toEqual(aTransaction())
    expect(restored.settlement.envelopes).toEqual([])
  })

  test('that is live changes nothing, and one of a provider cannot be restored', () => {
    const live = {
      bankAccount: aBankAccount(ACCOUNT),
      envelopes: [GOAL],
      operation: anOperation(),
      transaction: aTransaction(ASSIGNED),
      bookings: [],
    }
    expect(restoreTransaction(live)).toMatchObject({
      transaction: live.transaction,
      settlement: { entries: [], envelopes: [] },
    })
    const bankAccount = aBankAccount({ linkType: 'feed' })
    expect(() => restoreTransaction({ ...live, bankAccount })).toThrow('manual link')
  })
})
