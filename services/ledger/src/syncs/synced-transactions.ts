import { lastRecord } from '../records/transaction-records.ts'
import type { SyncedTransaction } from './provider-transaction.ts'

/** In-memory index of the transactions that a batch may match, updated after each row. */
export type SyncedIndex = {
  byTransaction: Map<string, SyncedTransaction>
  /** Transaction IDs, keyed by every ID that the provider has given to each transaction. */
  byProviderId: Map<string, string>
  /** Transaction IDs, keyed by the pending ID that a posted record states. */
  byPendingId: Map<string, string>
  /** Transaction IDs, keyed by the amount of the live record, or of the last deleted record. */
  byAmount: Map<bigint, Set<string>>
}

export function createSyncedIndex(known: readonly SyncedTransaction[]): SyncedIndex {
  const index: SyncedIndex = {
    byTransaction: new Map(),
    byProviderId: new Map(),
    byPendingId: new Map(),
    byAmount: new Map(),
  }
  for (const synced of known) {
    addToIndex(index, synced)
  }
  return index
}

/** Adds a transaction to the index, or replaces it. */
export function addToIndex(index: SyncedIndex, synced: SyncedTransaction): void {
  const { transactionId } = synced.transaction
  const before = index.byTransaction.get(transactionId)
  const amountBefore = before && lastRecord(before)?.amount
  if (amountBefore !== undefined) {
    index.byAmount.get(amountBefore)?.delete(transactionId)
  }
  index.byTransaction.set(transactionId, synced)
  for (const record of synced.records) {
    index.byProviderId.set(record.providerTransactionId, transactionId)
    if (record.pendingProviderTransactionId !== null) {
      index.byPendingId.set(record.pendingProviderTransactionId, transactionId)
    }
  }
  const amount = lastRecord(synced)?.amount
  if (amount !== undefined) {
    const same = index.byAmount.get(amount) ?? new Set()
    index.byAmount.set(amount, same.add(transactionId))
  }
}

/** Looks up `key` in `index`, a map of transaction IDs, and returns the transaction or null. */
export function findSynced(
  { byTransaction }: SyncedIndex,
  index: ReadonlyMap<string, string>,
  key: string | null,
): SyncedTransaction | null {
  const transactionId = key === null ? undefined : index.get(key)
  return (transactionId !== undefined && byTransaction.get(transactionId)) || null
}
