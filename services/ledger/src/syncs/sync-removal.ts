import { requireWritable } from '../book/bank-account.ts'
import type { Locked } from '../money/operation.ts'
import { startSettlements, totalOf } from '../money/settlements.ts'
import { findJoined } from '../records/transaction-records.ts'
import type { SyncedTransaction } from './provider-transaction.ts'
import { findChanges, type SyncDecision } from './sync-import.ts'
import { removeTransaction } from './sync-merge.ts'
import { joinTips } from './sync-tips.ts'
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
  const work = { locked, settlements }
  const ids = new Set(providerIds)
  const removed = new Set<string>()
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
      const transaction = removeTransaction(work, synced.transaction, index)
      addToIndex(syncedIndex, { transaction, records })
      removed.add(transaction.transactionId)
    } else if (findJoined(synced)?.isListed && record.isPending) {
      addToIndex(syncedIndex, withdrawJoined(synced))
    }
  }
  const joinedCount = joinTips(work, syncedIndex, removed)
  const changes = findChanges(syncedIndex, known)
  const settlement = totalOf(settlements)
  return { ...changes, settlement, removedCount: removed.size - joinedCount, unknownCount }
}

/** Marks the pending record of a joined transaction as no longer listed by the provider. */
function withdrawJoined({ transaction, records }: SyncedTransaction): SyncedTransaction {
  return {
    transaction,
    records: records.map((one) =>
      one.joined ? { ...one, joined: { ...one.joined, isListed: false } } : one,
    ),
  }
}
