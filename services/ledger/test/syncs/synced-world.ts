import { localDay } from '@coffer/kit/values/day'
import { expect } from '@jest/globals'
import type { BankAccount } from '../../src/book/bank-account.ts'
import type { Envelope } from '../../src/book/envelope.ts'
import type { ProviderRecord } from '../../src/book/provider-record.ts'
import type { SyncedScope } from '../../src/money/money-state.ts'
import { liveRecord } from '../../src/records/transaction-records.ts'
import { compileRules } from '../../src/rules/rule.ts'
import type { ProviderRow, SyncedTransaction } from '../../src/syncs/provider-transaction.ts'
import { importTransactions, type SyncDecision } from '../../src/syncs/sync-import.ts'
import { removeSynced } from '../../src/syncs/sync-removal.ts'
import { scopeOf } from '../../src/syncs/sync-scope.ts'
import { changeTransaction } from '../../src/transactions/transaction-change.ts'
import { aBankAccount, anEnvelope } from '../imports/samples.ts'

/** A ledger in memory with one bank account and one envelope. */
export type World = {
  source: 'aggregator' | 'feed'
  bankAccount: BankAccount
  envelope: Envelope
  known: Map<string, SyncedTransaction>
  /** The name that the user gave each transaction. */
  names: Map<string, string>
  steps: number
}

const HELD = 5000n
const timezone = 'America/Chicago'
/** Midnight in Chicago of the first day of all rows. */
export const START = new Date('2026-03-02T06:00:00Z').getTime()

export function emptyWorld(source: World['source']): World {
  const bankAccount = aBankAccount({ linkType: source, expenses: HELD })
  const envelope = anEnvelope({ currentAmount: HELD })
  return { source, bankAccount, envelope, known: new Map(), names: new Map(), steps: 0 }
}

/**
 * Imports a batch of rows of one alias. Expects the same decision from the transactions in the
 * scope of the batch as from all.
 */
export function bring(
  world: World,
  rows: readonly ProviderRow[],
  datesOfWholeDays: readonly Date[] = [],
): SyncDecision {
  const { source } = world
  const name = (index: number) => `${String(world.steps).padStart(4, '0')}_${index}`
  const ids = {
    transactionIds: rows.map((_, index) => `txn_${name(index)}`),
    recordIds: rows.map((_, index) => `ltxn_${name(index)}`),
  }
  const locked = lockedIn(world)
  const all = [...world.known.values()]
  const listedIds = new Set(rows.map(({ providerTransactionId }) => providerTransactionId))
  const wholeDays = datesOfWholeDays.map((date) => localDay(date.getTime(), timezone))
  const listed = { ids: listedIds, wholeDays: new Set(wholeDays), timezone }
  const scope = scopeOf(rows, { source, listed })
  const known = all.filter(
    (one) => one.records.some((record) => isInScope(scope, record)) || isTip(scope, one, all),
  )
  const rules = compileRules([], timezone)
  const batch = { rows, ids, source, listed, rules }
  const decision = importTransactions(locked, { ...batch, known })
  expect(decision).toEqual(importTransactions(locked, { ...batch, known: all }))
  settle(world, decision)
  return decision
}

/** Removes transactions that the provider does not have any more. */
export function drop(world: World, providerIds: readonly string[]): SyncDecision {
  const known = [...world.known.values()]
  const decision = removeSynced(lockedIn(world), { providerIds, known })
  settle(world, decision)
  return decision
}

/** Renames a transaction and assigns it to the envelope, as its user does. */
export function edit(world: World, pick: number): void {
  const live = liveIn(world)
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

/** Returns the transactions that are not deleted. */
export function liveIn({ known }: World): SyncedTransaction[] {
  return [...known.values()].filter(({ transaction }) => transaction.deletedAt === null)
}

/** Checks the invariants that hold after each step. */
export function check({ bankAccount, envelope, known, names }: World): void {
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
    const name = names.get(transaction.transactionId)
    expect(name === undefined ? ['Deli', 'Garage'] : [name]).toContain(transaction.name)
  }
}

function lockedIn(world: World) {
  const { bankAccount, envelope } = world
  world.steps += 1
  const operation = {
    operationId: `op_${world.steps}`,
    now: new Date(START + world.steps),
    version: BigInt(world.steps + 2),
  }
  return { bankAccount, envelopes: [envelope], operation }
}

/** Saves a decision. A record that has another transaction than before moves there. */
function settle(world: World, { settlement, transactions, records }: SyncDecision): void {
  world.bankAccount = settlement.bankAccount
  world.envelope = settlement.envelopes.at(0) ?? world.envelope
  for (const transaction of transactions) {
    const before = world.known.get(transaction.transactionId)
    world.known.set(transaction.transactionId, { transaction, records: before?.records ?? [] })
  }
  const ids = new Set(records.map(({ providerTransactionId }) => providerTransactionId))
  for (const [transactionId, { transaction, records: before }] of world.known) {
    const others = before.filter((one) => !ids.has(one.providerTransactionId))
    const own = records.filter((one) => one.transactionId === transactionId)
    world.known.set(transactionId, { transaction, records: [...others, ...own] })
  }
}

/** Whether the SQL of the scope selects the transaction of a record (money-state.sql.ts). */
function isInScope({ providerIds, alike, posted }: SyncedScope, record: ProviderRecord): boolean {
  const { amount, date, isPending, deletedAt } = record
  const ids = [record.providerTransactionId, record.pendingProviderTransactionId]
  const isIn = (of: { amounts: readonly bigint[]; from: Date; to: Date } | null) =>
    of?.amounts.includes(amount) === true && of.from <= date && date <= of.to
  return (
    ids.some((id) => id !== null && providerIds.includes(id)) ||
    (isIn(alike) && (isPending || record.providerAccountId !== alike?.providerAccountId)) ||
    (isIn(posted) && !isPending && deletedAt === null)
  )
}

/** The same for a tip: pending transactions of the days, and what is posted near them. */
function isTip({ tips }: SyncedScope, one: SyncedTransaction, all: SyncedTransaction[]): boolean {
  const pendings = all.filter(({ transaction: { isPending, date } }) => {
    return isPending && tips !== null && tips !== 'removed' && tips.from <= date && date <= tips.to
  })
  const { isPending, deletedAt, date } = one.transaction
  const days = (pending: SyncedTransaction) =>
    (date.getTime() - pending.transaction.date.getTime()) / 86_400_000
  const isNear = (pending: SyncedTransaction) => days(pending) >= -2 && days(pending) <= 11
  return pendings.includes(one) || (!isPending && !deletedAt && pendings.some(isNear))
}
