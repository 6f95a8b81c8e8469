import { requireWritable } from '../book/bank-account.ts'
import type { Transaction } from '../book/transaction.ts'
import { endOperation, type Locked, startOperation } from '../money/operation.ts'
import { addSettlement, type Settlements, startSettlements, totalOf } from '../money/settlements.ts'
import { giveBack } from '../money/spend.ts'
import type { SyncedTransaction } from './provider-transaction.ts'
import { findChanges, type SyncDecision } from './sync-import.ts'
import { createOperation } from './sync-merge.ts'
import { addToIndex, createSyncedIndex, findSynced } from './synced-transactions.ts'

/** Decides the removal of transactions that a provider withdraws (docs/syncs.md#removal). */
export function removeSynced(
  locked: Locked,
  { providerIds, known }: { providerIds: readonly string[]; known: readonly SyncedTransaction[] },
): SyncDecision & { removedCount: number; unknownCount: number } {
  requireWritable(locked.bankAccount)
  const { now } = locked.operation
  const settlements = startSettlements(locked)
  const syncedIndex = createSyncedIndex(known)
  const ids = new Set(providerIds)
  let unknownCount = 0
  for (const [index, id] of [...ids].entries()) {
    const synced = findSynced(syncedIndex, syncedIndex.byProviderId, id)
    const record = synced?.records.find((one) => one.providerTransactionId === id)
    if (synced === null || record === undefined) {
      unknownCount += 1
    } else if (record.deletedAt === null) {
      const records = synced.records.map((one) =>
        one === record ? { ...one, deletedAt: now } : one,
      )
      const transaction = removeTransaction({ locked, settlements, index }, synced.transaction)
      addToIndex(syncedIndex, { transaction, records })
    }
  }
  const changes = findChanges(syncedIndex, known)
  const settlement = totalOf(settlements)
  return { ...changes, settlement, removedCount: changes.transactions.length, unknownCount }
}

function removeTransaction(
  { locked, settlements, index }: { locked: Locked; settlements: Settlements; index: number },
  before: Transaction,
): Transaction {
  const { now } = locked.operation
  const { bankAccount, envelopes } = settlements
  const envelope = envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) return { ...before, deletedAt: now }
  const operation = createOperation(locked, index)
  const started = startOperation({ bankAccount, envelopes: [envelope], operation })
  giveBack(started, before, { cause: 'deletion', causeId: before.transactionId })
  addSettlement(settlements, endOperation(started))
  const refundAmount = before.refundAmount === null ? null : 0n
  return { ...before, spendingAmount: 0n, refundAmount, deletedAt: now }
}
