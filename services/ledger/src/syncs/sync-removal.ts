import { requireWritable } from '../accounts/bank-account.ts'
import { openBook, settle } from '../money/book.ts'
import { addSettlement, type Settlements, startSettlements, totalOf } from '../money/settlements.ts'
import { giveBack } from '../money/spend.ts'
import type { Locked, Transaction } from '../transactions/transaction.ts'
import type { SyncedTransaction } from './provider-transaction.ts'
import { changesOf, operationOf, type SyncDecision } from './sync-import.ts'
import { layOut, lookUp, openDesk } from './synced-transactions.ts'

/**
 * Decides what goes when a provider takes transactions back (spec/syncs.md 3.3). A record that
 * something else has replaced only ends; the live one takes its transaction with it. Its envelope
 * gets back what it gave but stays named, with nothing given, so that the transaction finds it
 * again if it comes back: what was pending may be posted in a later run. Balances stay.
 */
export function removeSynced(
  locked: Locked,
  { providerIds, known }: { providerIds: readonly string[]; known: readonly SyncedTransaction[] },
): SyncDecision & { removedCount: number; unknownCount: number } {
  requireWritable(locked.bankAccount)
  const { now } = locked.operation
  const settlements = startSettlements(locked)
  const desk = openDesk(known)
  const ids = new Set(providerIds)
  let unknownCount = 0
  for (const [index, id] of [...ids].entries()) {
    const synced = lookUp(desk, desk.byProviderId, id)
    const record = synced?.records.find((one) => one.providerTransactionId === id)
    if (synced === null || record === undefined) {
      unknownCount += 1
    } else if (record.deletedAt === null) {
      const records = synced.records.map((one) => (one === record ? ended(one, now) : one))
      const transaction = takeAway({ locked, settlements, index }, synced.transaction)
      layOut(desk, { transaction, records })
    }
  }
  const changes = changesOf(desk, known)
  const settlement = totalOf(settlements)
  return { ...changes, settlement, removedCount: changes.updated.length, unknownCount }
}

function ended<Record extends { deletedAt: Date | null }>(record: Record, now: Date): Record {
  return { ...record, deletedAt: now }
}

function takeAway(
  { locked, settlements, index }: { locked: Locked; settlements: Settlements; index: number },
  before: Transaction,
): Transaction {
  const { now } = locked.operation
  const { bankAccount, envelopes } = settlements
  const envelope = envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) {
    return { ...before, deletedAt: now }
  }
  const operation = operationOf(locked, index)
  const book = openBook({ bankAccount, envelopes: [envelope], operation })
  giveBack(book, before, { cause: 'deletion', causeId: before.transactionId })
  addSettlement(settlements, settle(book))
  return { ...before, spendingAmount: 0n, deletedAt: now }
}
