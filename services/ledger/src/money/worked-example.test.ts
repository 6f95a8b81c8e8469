import { expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation } from '../../test/imports/samples.ts'
import { balancesOf } from '../book/bank-account.ts'
import type { Envelope } from '../book/envelope.ts'
import type { JournalEntry } from '../book/journal.ts'
import type { Transaction } from '../book/transaction.ts'
import { changeTransaction } from '../transactions/transaction-change.ts'
import { createTransaction, type NewTransaction } from '../transactions/transaction-creation.ts'
import { removeTransaction } from '../transactions/transaction-removal.ts'
import { isBooking } from './bookings.ts'
import type { Settlement } from './operation.ts'

/*
 * The worked example of docs/money.md#spending-from-an-envelope:
 *
 * step                       available current  E      G      used   free (= available − E − G)
 * start                        100000  100000   30000  40000  10000   30000
 * 1 create 45000 from E         55000   55000       0  40000  10000   15000   E gives 30000
 * 2 amount to 20000             55000   55000   10000  40000  10000    5000   30000 back, 20000 out
 * 3 move to G                   55000   55000   30000  20000  30000    5000   min(40000, 20000)
 * 4 unassign                    55000   55000   30000  40000  10000  −15000
 * 5 delete, adjusting          100000  100000   30000  40000  10000   30000   45000 were booked
 * 6 deposit 5000               105000  105000   30000  40000  10000   35000
 * 7a pending 5000              100000  105000   30000  40000  10000   30000
 * 7b delete it, adjusting      105000  105000   30000  40000  10000   35000
 */
const START = {
  bankAccount: aBankAccount({
    availableBalance: 100000n,
    currentBalance: 100000n,
    expenses: 30000n,
    goals: 40000n,
  }),
  envelopes: [
    anEnvelope({ spendingId: 'spnd_e', currentAmount: 30000n }),
    anEnvelope({
      spendingId: 'spnd_g',
      spendingType: 'goal',
      currentAmount: 40000n,
      usedAmount: 10000n,
    }),
  ],
  operation: anOperation(),
}

function body(changes: Partial<NewTransaction>): NewTransaction {
  return {
    transactionId: `txn_${journal.length}`,
    amount: 45000n,
    date: new Date('2026-02-01T06:00:00Z'),
    name: 'Bill',
    merchantName: null,
    spendingId: null,
    adjustsBalance: true,
    isPending: false,
    ...changes,
  }
}

let journal: JournalEntry[] = []

function bookingsOf({ transactionId }: Transaction) {
  return journal.filter((one) => one.causeId === transactionId && isBooking(one))
}

/** Returns the rows after an operation, as input of the next. */
function after(before: typeof START, { bankAccount, envelopes, entries }: Settlement) {
  journal = [...journal, ...entries]
  const newest = (one: Envelope) =>
    envelopes.find((other) => other.spendingId === one.spendingId) ?? one
  return { ...before, bankAccount, envelopes: before.envelopes.map(newest) }
}

function figures({ bankAccount, envelopes: [expense, goal] }: typeof START) {
  const { available, current, free } = balancesOf(bankAccount)
  return [
    available,
    current,
    expense?.currentAmount,
    goal?.currentAmount,
    goal?.usedAmount,
    free,
  ].map(Number)
}

function changed(settlement: Settlement) {
  return settlement.envelopes.map((one) => one.spendingId)
}

test('the worked example of docs/money.md holds step by step', () => {
  let state = START
  expect(figures(state)).toEqual([100000, 100000, 30000, 40000, 10000, 30000])

  const first = createTransaction(state, body({ spendingId: 'spnd_e' }))
  state = after(state, first.settlement)
  expect(figures(state)).toEqual([55000, 55000, 0, 40000, 10000, 15000])
  expect(first.transaction.spendingAmount).toBe(30000n)
  expect(changed(first.settlement)).toEqual(['spnd_e'])

  const patch = (transaction: Transaction, change: object) => {
    const decision = changeTransaction({ ...state, transaction }, change)
    state = after(state, decision.settlement)
    return decision
  }
  const second = patch(first.transaction, { amount: 20000n })
  expect(figures(state)).toEqual([55000, 55000, 10000, 40000, 10000, 5000])
  expect(second.transaction.spendingAmount).toBe(20000n)
  expect(changed(second.settlement)).toEqual(['spnd_e'])

  const third = patch(second.transaction, { spendingId: 'spnd_g' })
  expect(figures(state)).toEqual([55000, 55000, 30000, 20000, 30000, 5000])
  expect(third.transaction.spendingAmount).toBe(20000n)
  expect(changed(third.settlement)).toEqual(['spnd_e', 'spnd_g'])

  const fourth = patch(third.transaction, { spendingId: null })
  expect(figures(state)).toEqual([55000, 55000, 30000, 40000, 10000, -15000])
  expect(fourth.transaction.spendingAmount).toBeNull()
  expect(changed(fourth.settlement)).toEqual(['spnd_g'])

  const remove = (transaction: Transaction) => {
    const decision = removeTransaction(
      { ...state, transaction, bookings: bookingsOf(transaction) },
      { adjustsBalance: true, soft: true },
    )
    state = after(state, decision.settlement)
    return decision
  }
  const fifth = remove(fourth.transaction)
  expect(figures(state)).toEqual([100000, 100000, 30000, 40000, 10000, 30000])
  expect(changed(fifth.settlement)).toEqual([])

  const sixth = createTransaction(state, body({ amount: -5000n }))
  state = after(state, sixth.settlement)
  expect(figures(state)).toEqual([105000, 105000, 30000, 40000, 10000, 35000])

  const seventh = createTransaction(state, body({ amount: 5000n, isPending: true }))
  state = after(state, seventh.settlement)
  expect(figures(state)).toEqual([100000, 105000, 30000, 40000, 10000, 30000])
  remove(seventh.transaction)
  expect(figures(state)).toEqual([105000, 105000, 30000, 40000, 10000, 35000])
})
