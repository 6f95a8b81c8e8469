import { requireWritable } from '../accounts/bank-account.ts'
import type { Settlement } from '../money/operation.ts'
import { startSettlements, totalOf } from '../money/settlements.ts'
import type { Locked, Transaction } from '../transactions/transaction.ts'
import type {
  MatchReason,
  ProviderItem,
  ProviderRecord,
  SyncedTransaction,
} from './provider-transaction.ts'
import { findMatch } from './sync-match.ts'
import {
  type ImportWork,
  idAt,
  isOf,
  newRecord,
  newTransaction,
  updateSynced,
  withoutNames,
} from './sync-merge.ts'
import { isOtherPurchase, separate } from './sync-separation.ts'
import {
  addToIndex,
  createSyncedIndex,
  findSynced,
  type SyncedIndex,
} from './synced-transactions.ts'

/** The outcome of a provider's transaction; `reason` is the matching rule or the faulty field. */
export type Imported =
  | {
      transactionId: string
      outcome: 'created' | 'updated' | 'unchanged'
      reason: MatchReason
      /** Whether this call matched the item with a transaction stored under another ID. */
      isMatch: boolean
    }
  | { transactionId: ''; outcome: 'skipped'; reason: 'amount' | 'currency' | 'date' }

/** The items of an import call, and the stored transactions that they may match. */
export type ImportBatch = Pick<ImportWork, 'ids' | 'source'> & {
  items: readonly ProviderItem[]
  known: readonly SyncedTransaction[]
}

/** The rows that an import or removal saves. */
export type SyncDecision = {
  settlement: Settlement
  transactions: Transaction[]
  records: ProviderRecord[]
}

type Work = ImportWork & { syncedIndex: SyncedIndex }

/** Returns the rows that an import call saves (docs/syncs.md#changes), and each item's outcome. */
export function importTransactions(
  locked: Locked,
  batch: ImportBatch,
): SyncDecision & { imported: Map<string, Imported> } {
  requireWritable(locked.bankAccount)
  const settlements = startSettlements(locked)
  const work = { ...batch, locked, syncedIndex: createSyncedIndex(batch.known), settlements }
  const imported = new Map<string, Imported>()
  for (const [index, item] of oldestFirst(batch.items).entries()) {
    const isForeign = item.currency !== locked.bankAccount.currency
    imported.set(
      item.providerTransactionId,
      isForeign
        ? { transactionId: '', outcome: 'skipped', reason: 'currency' }
        : importOne(work, item, index),
    )
  }
  return {
    ...findChanges(work.syncedIndex, batch.known),
    settlement: totalOf(settlements),
    imported,
  }
}

/** Counts outcomes; one that is a match counts as nothing else. */
export function countOutcomes(imported: Iterable<Imported>) {
  const counts = { added: 0, changed: 0, matched: 0, skipped: 0 }
  for (const one of imported) {
    if (one.outcome === 'skipped') counts.skipped += 1
    else if (one.isMatch) counts.matched += 1
    else if (one.outcome === 'created') counts.added += 1
    else if (one.outcome === 'updated') counts.changed += 1
  }
  return counts
}

/** Returns the indexed transactions and records that are new, or differ from the stored `known`. */
export function findChanges(
  syncedIndex: SyncedIndex,
  known: readonly SyncedTransaction[],
): Omit<SyncDecision, 'settlement'> {
  const before = new Map(known.map((one) => [one.transaction.transactionId, one]))
  const changes: Omit<SyncDecision, 'settlement'> = { transactions: [], records: [] }
  for (const { transaction, records } of syncedIndex.byTransaction.values()) {
    const old = before.get(transaction.transactionId)
    if (old?.transaction !== transaction) changes.transactions.push(transaction)
    changes.records.push(...records.filter((record) => !old?.records.includes(record)))
  }
  return changes
}

/** Sorts items by ascending day; of items with an equal ID only the last counts. */
function oldestFirst(items: readonly ProviderItem[]): ProviderItem[] {
  const last = new Map(items.map((item) => [item.providerTransactionId, item]))
  return [...last.values()].sort((a, b) => a.date.getTime() - b.date.getTime())
}

function importOne(work: Work, item: ProviderItem, index: number): Imported {
  const { syncedIndex } = work
  const known = findSynced(syncedIndex, syncedIndex.byProviderId, item.providerTransactionId)
  if (known !== null) return updateKnown(work, known, { item, index })
  const match = findMatch(item, syncedIndex, work)
  if (match === null) {
    const transaction = newTransaction(work, item, idAt(work.ids.transactionIds, index))
    const { transactionId } = transaction
    const record = newRecord(work, item, { transactionId, index, reason: 'new' })
    addToIndex(syncedIndex, { transaction, records: [record] })
    return { transactionId, outcome: 'created', reason: 'new', isMatch: false }
  }
  const { synced, reason } = match
  const { transactionId } = synced.transaction
  const updated = newRecord(work, item, { transactionId, index, reason })
  addToIndex(syncedIndex, updateSynced(work, synced, { own: null, updated, item, index }))
  return { transactionId, outcome: 'updated', reason, isMatch: true }
}

/** Updates the transaction that has a record of the item's ID. */
function updateKnown(
  work: Work,
  synced: SyncedTransaction,
  { item, index }: { item: ProviderItem; index: number },
): Imported {
  const own = synced.records.find((one) => isOf(one, item))
  if (own === undefined) throw new Error('the index names a transaction without the record')
  const known = { reason: own.matchReason, isMatch: false }
  if (isOtherPurchase(work, synced, item)) {
    const { kept, created, owner } = separate(work, synced, { own, item, index })
    addToIndex(work.syncedIndex, kept)
    addToIndex(work.syncedIndex, created)
    const { transactionId } = owner.transaction
    const outcome = owner === created ? 'created' : 'updated'
    return { transactionId, outcome, ...known }
  }
  const { transactionId } = synced.transaction
  const updated = { ...own, ...withoutNames(item) }
  const after = updateSynced(work, synced, { own, updated, item, index })
  if (after === synced) return { transactionId, outcome: 'unchanged', ...known }
  addToIndex(work.syncedIndex, after)
  return { transactionId, outcome: 'updated', ...known }
}
