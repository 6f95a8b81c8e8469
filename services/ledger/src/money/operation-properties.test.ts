import { amountMax } from '@coffer/kit/values/money'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { aBankAccount, anEnvelope } from '../../test/imports/samples.ts'
import { type BankAccount, balancesOf } from '../book/bank-account.ts'
import type { Envelope } from '../book/envelope.ts'
import type { JournalEntry } from '../book/journal.ts'
import { type Transaction, unassigned } from '../book/transaction.ts'
import { applyFunding } from '../envelopes/funding.ts'
import { closeEnvelope, endPeriod } from '../envelopes/period.ts'
import { changeTransaction, correctTransaction } from '../transactions/transaction-change.ts'
import { createTransaction } from '../transactions/transaction-creation.ts'
import { removeTransaction } from '../transactions/transaction-removal.ts'
import { isBooking, refundableAfter, sumBookings } from './bookings.ts'
import { endOperation, type Settlement, startOperation } from './operation.ts'
import { transfer } from './transfer.ts'

const IDS = ['spnd_a', 'spnd_b', 'spnd_c', 'spnd_d']
const NOW = new Date('2026-02-01T12:00:00Z')

/** In-memory stand-in for the database: the rows after the decisions so far. */
type World = {
  bankAccount: BankAccount
  envelopes: Map<string, Envelope>
  transactions: Map<string, Transaction>
  journal: JournalEntry[]
  /** Expected available balance: the opening balance plus all amounts that adjust it. */
  available: bigint
  steps: number
}

function emptyWorld(): World {
  const kinds = { spnd_a: 'expense', spnd_b: 'expense', spnd_c: 'goal', spnd_d: 'goal' } as const
  const envelopes = Object.entries(kinds).map(([spendingId, spendingType]) =>
    anEnvelope({ spendingId, spendingType }),
  )
  return {
    bankAccount: aBankAccount(),
    envelopes: new Map(envelopes.map((one) => [one.spendingId, one])),
    transactions: new Map(),
    journal: [],
    available: 0n,
    steps: 0,
  }
}

type Step = {
  kind: 'create' | 'change' | 'correct' | 'remove' | 'transfer' | 'fund' | 'end' | 'close'
  amount: bigint
  other: bigint
  spendingId: string | null
  target: string | null
  pick: number
  yes: boolean
  also: boolean
}

const amounts = fc.bigInt({ min: -3000n, max: 5000n })
const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...('create create change change correct remove transfer fund end'.split(
      ' ',
    ) as Step['kind'][]),
  ),
  amount: amounts,
  other: amounts,
  spendingId: fc.constantFrom(null, ...IDS),
  target: fc.constantFrom(null, ...IDS),
  pick: fc.nat(),
  yes: fc.boolean(),
  also: fc.boolean(),
})

function locked(world: World) {
  world.steps += 1
  return {
    bankAccount: world.bankAccount,
    envelopes: [...world.envelopes.values()],
    operation: { operationId: `op_${world.steps}`, now: NOW, version: BigInt(world.steps + 2) },
    refundable: refundableAfter(new Map(IDS.map((id) => [id, 0n])), world.journal),
  }
}

/** Returns the envelope of a request by the field that fits the amount. */
function nameOf(amount: bigint, spendingId: string | null) {
  return amount < 0n ? { refundSpendingId: spendingId } : { spendingId, refundSpendingId: null }
}

function save(world: World, settlement: Settlement, transaction: Transaction | null): void {
  world.bankAccount = settlement.bankAccount
  for (const one of settlement.envelopes) world.envelopes.set(one.spendingId, one)
  world.journal.push(...settlement.entries)
  if (transaction !== null) world.transactions.set(transaction.transactionId, transaction)
}

function bookingsOf({ journal }: World, { transactionId }: Transaction) {
  return journal.filter((one) => one.causeId === transactionId && isBooking(one))
}

function picked(world: World, step: Step): Transaction | null {
  const all = [...world.transactions.values()]
  return all[step.pick % all.length] ?? null
}

const moves: Record<Step['kind'], (world: World, step: Step) => void> = {
  create(world, { amount, spendingId, yes: adjustsBalance, also: isPending }) {
    const transactionId = `txn_${world.steps}`
    const decision = createTransaction(locked(world), {
      transactionId,
      amount,
      date: NOW,
      name: 'x',
      ...nameOf(amount, spendingId),
      adjustsBalance,
      isPending,
    })
    save(world, decision.settlement, decision.transaction)
    world.available -= adjustsBalance ? amount : 0n
  },
  change(world, step) {
    const transaction = picked(world, step)
    if (transaction === null) return
    const patch = {
      ...(step.yes ? { amount: step.amount } : {}),
      ...(step.also ? nameOf(step.yes ? step.amount : transaction.amount, step.spendingId) : {}),
    }
    const decision = changeTransaction({ ...locked(world), transaction }, patch)
    save(world, decision.settlement, decision.transaction)
  },
  correct(world, step) {
    const transaction = picked(world, step)
    if (transaction === null || transaction.deletedAt !== null) return
    const bookings = bookingsOf(world, transaction)
    const state = { ...locked(world), transaction, bookings }
    const decision = correctTransaction(state, { amount: step.amount })
    save(world, decision.settlement, decision.transaction)
    const taken = sumBookings(bookings).available
    world.available += taken === 0n ? 0n : -step.amount - taken
  },
  remove(world, step) {
    const transaction = picked(world, step)
    if (transaction !== null) {
      const bookings = bookingsOf(world, transaction)
      const removal = { adjustsBalance: step.yes, soft: step.also }
      const decision = removeTransaction({ ...locked(world), transaction, bookings }, removal)
      save(world, decision.settlement, decision.transaction)
      if (decision.transaction === null) {
        world.transactions.delete(transaction.transactionId)
      }
      const counts = step.yes && transaction.deletedAt === null
      const taken = sumBookings(bookings).available
      world.available += counts ? (taken === 0n ? transaction.amount : -taken) : 0n
    }
  },
  transfer(world, { amount, spendingId, target }) {
    const started = startOperation(locked(world))
    const move = { fromSpendingId: spendingId, toSpendingId: target, amount }
    transfer(started, { ...move, causeId: 'xfer' })
    save(world, endOperation(started), null)
  },
  fund(world, { amount, other, spendingId, target, yes }) {
    const lines = [
      { spendingId: spendingId ?? 'spnd_a', amount, ceiling: other },
      { spendingId: target ?? 'spnd_c', amount: other, ceiling: 5000n },
    ]
    const transactionId = `txn_${world.steps}`
    const deposit = yes ? { transactionId, name: 'pay', amount: -700n, date: NOW } : null
    const run = { fundingScheduleId: 'fund_1', lines, deposit }
    const decision = applyFunding(locked(world), run)
    save(world, decision.settlement, decision.transaction)
    world.available += yes ? 700n : 0n
  },
  end(world, { amount, pick, yes, also }) {
    const transactionId = `txn_${world.steps}`
    const targetAmount = amount < 0n ? -amount : amount + 1n
    const transaction = yes ? { transactionId, name: 'due', amount: targetAmount, date: NOW } : null
    const spendingId = pick % 2 === 0 ? 'spnd_a' : 'spnd_b'
    const end = { spendingId, targetAmount, carryOver: also, transaction }
    const decision = endPeriod(locked(world), end)
    save(world, decision.settlement, decision.transaction)
    world.available -= decision.transaction === null ? 0n : targetAmount
  },
  close(world, { spendingId }) {
    const started = startOperation(locked(world))
    const envelope = started.envelopes.get(spendingId ?? 'spnd_d')
    if (envelope !== undefined) {
      closeEnvelope(started, envelope)
      save(world, endOperation(started), null)
      for (const transaction of world.transactions.values()) {
        if (transaction.spendingId === envelope.spendingId) {
          world.transactions.set(transaction.transactionId, { ...transaction, ...unassigned })
        }
      }
    }
  },
}

/** Runs a step. A refusal is ignored, because a refused decision leaves the rows unchanged. */
function make(world: World, step: Step): void {
  try {
    moves[step.kind](world, step)
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
  }
}

function sum(amountsToAdd: readonly bigint[]): bigint {
  return amountsToAdd.reduce((total, amount) => total + amount, 0n)
}

function audit(world: World): void {
  const { bankAccount, journal } = world
  const open = [...world.envelopes.values()].filter((one) => one.closedAt === null)
  const heldBy = (kind: string) =>
    sum(open.filter((one) => one.spendingType === kind).map((one) => one.currentAmount))
  expect(bankAccount.expenses).toBe(heldBy('expense'))
  expect(bankAccount.goals).toBe(heldBy('goal'))
  expect(bankAccount.availableBalance).toBe(world.available)

  const booked = (pot: string, spendingId: string | null, causes?: string[]) =>
    sum(
      journal
        .filter((row) => row.pot === pot && row.spendingId === spendingId)
        .filter((row) => causes === undefined || causes.includes(row.cause))
        .map((row) => row.delta),
    )
  expect(booked('available', null)).toBe(bankAccount.availableBalance)
  expect(booked('current', null)).toBe(bankAccount.currentBalance)
  for (const envelope of world.envelopes.values()) {
    const { spendingId, currentAmount, usedAmount } = envelope
    expect(currentAmount >= 0n && usedAmount >= 0n).toBe(true)
    expect(booked('envelope', spendingId)).toBe(currentAmount)
    expect(booked('used', spendingId)).toBe(usedAmount)
  }
  for (const { spendingId } of open) {
    const assigned = [...world.transactions.values()]
      .filter((one) => one.spendingId === spendingId && one.deletedAt === null)
      .map((one) => (one.spendingAmount ?? 0n) - (one.refundAmount ?? 0n))
    expect(-booked('envelope', spendingId, ['transaction', 'deletion', 'refund'])).toBe(
      sum(assigned),
    )
  }
}

function expectRunningAmounts(journal: JournalEntry[]): void {
  const held = new Map<string, bigint>()
  const seen = new Set<string>()
  for (const row of journal) {
    const pot = `${row.pot} ${row.spendingId}`
    const key = `${row.operationId} ${pot} ${row.cause}`
    expect(seen).not.toContain(key)
    seen.add(key)
    expect(row.amount).toBe((held.get(pot) ?? 0n) + row.delta)
    held.set(pot, row.amount)
  }
}

test('after any steps sums agree, the journal explains them, and no cent is made or lost', () => {
  const property = fc.property(fc.array(steps, { maxLength: 60 }), fc.nat(), (list, closing) => {
    const world = emptyWorld()
    list.forEach((step, index) => {
      make(world, index === closing % 60 ? { ...step, kind: 'close' } : step)
    })
    audit(world)
    expectRunningAmounts(world.journal)
  })
  fc.assert(property, { numRuns: 300 })
})

test('a transfer leaves the stored balances alone', () => {
  const property = fc.property(fc.array(steps, { maxLength: 40 }), steps, (list, last) => {
    const world = emptyWorld()
    for (const step of list) make(world, step)
    const { availableBalance, currentBalance } = world.bankAccount
    make(world, { ...last, kind: 'transfer' })
    expect(world.bankAccount).toMatchObject({ availableBalance, currentBalance })
    audit(world)
  })
  fc.assert(property, { numRuns: 100 })
})

test('no amount and no sum ever leaves the range, however large the steps', () => {
  const huge = fc.bigInt({ min: -amountMax, max: amountMax })
  const large = fc.tuple(steps, huge, huge).map(([step, amount, other]) => {
    return { ...step, amount, other }
  })
  const property = fc.property(fc.array(large, { maxLength: 30 }), (list) => {
    const world = emptyWorld()
    for (const step of list) {
      make(world, step)
      const held = Object.values(balancesOf(world.bankAccount))
      const amountsHeld = held.filter((value) => typeof value === 'bigint')
      expect(amountsHeld.every((amount) => amount >= -amountMax && amount <= amountMax)).toBe(true)
    }
    audit(world)
    expectRunningAmounts(world.journal)
  })
  fc.assert(property, { numRuns: 200 })
})
