import { lastRecord, type SyncedTransaction } from './provider-transaction.ts'

/**
 * The synced transactions that a batch may be about, found by what providers say of them. It
 * changes while the batch is worked through.
 */
export type Desk = {
  byTransaction: Map<string, SyncedTransaction>
  /** Transaction IDs by each ID that the provider gave them. */
  byProviderId: Map<string, string>
  /** Transaction IDs by the pending one that their posted record names. */
  byPendingId: Map<string, string>
  /** Transaction IDs by the amount of their last record. */
  byAmount: Map<bigint, Set<string>>
}

/** A desk with these transactions on it. */
export function openDesk(known: readonly SyncedTransaction[]): Desk {
  const desk: Desk = {
    byTransaction: new Map(),
    byProviderId: new Map(),
    byPendingId: new Map(),
    byAmount: new Map(),
  }
  for (const synced of known) {
    layOut(desk, synced)
  }
  return desk
}

/** Puts a transaction on the desk, in place of what was known of it. */
export function layOut(desk: Desk, synced: SyncedTransaction): void {
  const { transactionId } = synced.transaction
  const before = desk.byTransaction.get(transactionId)
  const amountBefore = before && lastRecord(before)?.amount
  if (amountBefore !== undefined) {
    desk.byAmount.get(amountBefore)?.delete(transactionId)
  }
  desk.byTransaction.set(transactionId, synced)
  for (const record of synced.records) {
    desk.byProviderId.set(record.providerTransactionId, transactionId)
    if (record.pendingProviderTransactionId !== null) {
      desk.byPendingId.set(record.pendingProviderTransactionId, transactionId)
    }
  }
  const amount = lastRecord(synced)?.amount
  if (amount !== undefined) {
    const same = desk.byAmount.get(amount) ?? new Set()
    desk.byAmount.set(amount, same.add(transactionId))
  }
}

/** The transaction that an index of the desk names, or null. */
export function lookUp(
  { byTransaction }: Desk,
  index: ReadonlyMap<string, string>,
  key: string | null,
): SyncedTransaction | null {
  const transactionId = key === null ? undefined : index.get(key)
  return (transactionId !== undefined && byTransaction.get(transactionId)) || null
}
