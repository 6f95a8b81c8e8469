import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { aBankAccount, anEnvelope, aProviderItem } from '../../test/imports/samples.ts'
import type { BankAccount } from '../accounts/bank-account.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import { changeTransaction } from '../transactions/transaction-change.ts'
import { liveRecord, type ProviderItem, type SyncedTransaction } from './provider-transaction.ts'
import { importTransactions, type SyncDecision } from './sync-import.ts'
import { removeSynced } from './sync-removal.ts'

/** A ledger in memory; every batch reads all of its transactions. */
type World = {
  bankAccount: BankAccount
  envelope: Envelope
  known: Map<string, SyncedTransaction>
  /** The name that the user gave each transaction. */
  names: Map<string, string>
  steps: number
}

type Step =
  | { kind: 'bring'; items: ProviderItem[] }
  | { kind: 'drop'; ids: string[] }
  | { kind: 'assign'; pick: number }

const HELD = 5000n
const DAY = 86_400_000
const START = new Date('2026-03-02T06:00:00Z').getTime()

// Few different IDs, amounts and texts, so that many are equal.
const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const items = fc
  .record({
    providerTransactionId: ids,
    pendingProviderTransactionId: fc.option(ids, { nil: null, freq: 2 }),
    providerAccountId: fc.constantFrom('account_1', 'account_2'),
    amount: fc.constantFrom(-700n, 0n, 700n, 1200n, 9000n),
    name: fc.constantFrom('Deli', 'Garage'),
    isPending: fc.boolean(),
    currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR'),
    days: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ days, ...one }) =>
    aProviderItem({ ...one, merchantName: '', date: new Date(START + days * DAY) }),
  )
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('bring' as const), items: fc.array(items, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant('drop' as const), ids: fc.array(ids, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('assign' as const), pick: fc.nat() }),
)

function emptyWorld(): World {
  const bankAccount = aBankAccount({ linkType: 'aggregator', expenses: HELD })
  const envelope = anEnvelope({ currentAmount: HELD })
  return { bankAccount, envelope, known: new Map(), names: new Map(), steps: 0 }
}

function lockedIn(world: World) {
  const { bankAccount, envelope } = world
  world.steps += 1
  const version = BigInt(world.steps + 2)
  const operation = {
    operationId: `op_${world.steps}`,
    now: new Date(START + world.steps),
    version,
  }
  return { bankAccount, envelopes: [envelope], operation }
}

function settle(world: World, { settlement, transactions, records }: SyncDecision): void {
  world.bankAccount = settlement.bankAccount
  world.envelope = settlement.envelopes.at(0) ?? world.envelope
  for (const transaction of transactions) {
    const before = world.known.get(transaction.transactionId)
    world.known.set(transaction.transactionId, { transaction, records: before?.records ?? [] })
  }
  for (const record of records) {
    const before = world.known.get(record.transactionId)
    if (!before) throw new Error('a record without its transaction')
    const others = before.records.filter(
      (one) => one.providerTransactionId !== record.providerTransactionId,
    )
    world.known.set(record.transactionId, { ...before, records: [...others, record] })
  }
}

function bring(world: World, batch: ProviderItem[]) {
  const name = (index: number) => `${String(world.steps).padStart(4, '0')}_${index}`
  const newIds = {
    transactionIds: batch.map((_, index) => `txn_${name(index)}`),
    recordIds: batch.map((_, index) => `ptxn_${name(index)}`),
  }
  const known = [...world.known.values()]
  const request = { items: batch, known, ids: newIds, source: 'aggregator' as const }
  const decision = importTransactions(lockedIn(world), request)
  settle(world, decision)
  return decision
}

function assign(world: World, pick: number): void {
  const live = [...world.known.values()].filter(({ transaction }) => transaction.deletedAt === null)
  const picked = live[pick % Math.max(1, live.length)]
  if (!picked || picked.transaction.amount <= 0n) return
  const { transactionId } = picked.transaction
  const patch = { spendingId: world.envelope.spendingId, name: `mine ${transactionId}` }
  const decision = changeTransaction({ ...lockedIn(world), ...picked }, patch)
  world.bankAccount = decision.settlement.bankAccount
  world.envelope = decision.settlement.envelopes[0] ?? world.envelope
  world.known.set(transactionId, { ...picked, transaction: decision.transaction })
  world.names.set(transactionId, patch.name)
}

function take(world: World, step: Step): void {
  if (step.kind === 'bring') {
    bring(world, step.items)
    const again = bring(world, step.items)
    expect([...again.transactions, ...again.records]).toEqual([])
  } else if (step.kind === 'drop') {
    const known = [...world.known.values()]
    settle(world, removeSynced(lockedIn(world), { providerIds: step.ids, known }))
  } else {
    assign(world, step.pick)
  }
}

/** Checks the invariants after each step. */
function check({ bankAccount, envelope, known, names }: World): void {
  const all = [...known.values()]
  const given = all.reduce((sum, { transaction }) => sum + (transaction.spendingAmount ?? 0n), 0n)
  expect(envelope.currentAmount + given).toBe(HELD)
  expect(bankAccount.expenses).toBe(envelope.currentAmount)
  expect([bankAccount.availableBalance, bankAccount.currentBalance]).toEqual([0n, 0n])
  const owners = new Set(
    all.flatMap(({ records }) => records.map((one) => one.providerTransactionId)),
  )
  expect(owners.size).toBe(all.flatMap(({ records }) => records).length)
  for (const { transaction, records } of all) {
    const live = liveRecord({ records })
    expect(records.filter(({ deletedAt }) => deletedAt === null).length).toBeLessThanOrEqual(1)
    expect(live === null).toBe(transaction.deletedAt !== null)
    expect(transaction.amount).toBe(live?.amount ?? transaction.amount)
    expect(transaction.isPending).toBe(live?.isPending ?? transaction.isPending)
    expect(transaction.name).toBe(names.get(transaction.transactionId) ?? 'Deli')
  }
}

test('any sequence of syncs keeps the money and the edits of the user', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 12 }), (taken) => {
      const world = emptyWorld()
      for (const step of taken) {
        take(world, step)
        check(world)
      }
    }),
    { numRuns: 500 },
  )
})
