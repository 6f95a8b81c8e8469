import { requireWritable } from '../book/bank-account.ts'
import type { MatchReason, ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'
import type { Locked, Settlement } from '../money/operation.ts'
import { startSettlements, totalOf } from '../money/settlements.ts'
import { liveRecord } from '../records/transaction-records.ts'
import { isUnlisted, type ProviderItem, type SyncedTransaction } from './provider-transaction.ts'
import { findMatch, type Match } from './sync-match.ts'
import {
  type ImportWork,
  idAt,
  isOf,
  newRecord,
  newTransaction,
  updateSynced,
  withoutNames,
} from './sync-merge.ts'
import { pairRenewed } from './sync-renewal.ts'
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
export type ImportBatch = Pick<ImportWork, 'ids' | 'source' | 'listed'> & {
  items: readonly ProviderItem[]
  known: readonly SyncedTransaction[]
}

/** The rows that an import or removal saves. */
export type SyncDecision = {
  settlement: Settlement
  transactions: Transaction[]
  records: ProviderRecord[]
}

/** `renewed`: transaction IDs by the new IDs of the provider. */
type Work = ImportWork & { syncedIndex: SyncedIndex; renewed: ReadonlyMap<string, string> }

/**
 * Returns the rows that an import call saves (docs/syncs.md#changes), each item's outcome, and how
 * many live records the call ends.
 */
export function importTransactions(
  locked: Locked,
  batch: ImportBatch,
): SyncDecision & { imported: Map<string, Imported>; replaced: number } {
  requireWritable(locked.bankAccount)
  const settlements = startSettlements(locked)
  const isOwn = ({ currency }: ProviderItem) => currency === locked.bankAccount.currency
  const items = oldestFirst(batch.items)
  const syncedIndex = createSyncedIndex(batch.known)
  const renewed = pairRenewed(items.filter(isOwn), syncedIndex, batch.listed)
  const work = { ...batch, locked, syncedIndex, settlements, renewed }
  const imported = new Map<string, Imported>()
  for (const [index, item] of items.entries()) {
    imported.set(
      item.providerTransactionId,
      !isOwn(item)
        ? { transactionId: '', outcome: 'skipped', reason: 'currency' }
        : importOne(work, item, index),
    )
  }
  const changes = findChanges(syncedIndex, batch.known)
  const replaced = countEnded(batch.known, changes)
  return { ...changes, settlement: totalOf(settlements), imported, replaced }
}

function countEnded(
  known: readonly SyncedTransaction[],
  { records }: Pick<SyncDecision, 'records'>,
): number {
  const live = new Set(known.map((one) => liveRecord(one)?.recordId))
  return records.filter((one) => one.deletedAt !== null && live.has(one.recordId)).length
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
  const match = findRenewed(work, item) ?? findMatch(item, syncedIndex, work)
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

/** Returns the transaction of an item with a renewed ID, unless an item before has changed it. */
function findRenewed({ syncedIndex, renewed, listed }: Work, item: ProviderItem): Match | null {
  const synced = findSynced(syncedIndex, renewed, item.providerTransactionId)
  const live = synced && liveRecord(synced)
  const isRenewed = live?.isPending === item.isPending && isUnlisted(listed, live)
  return synced && isRenewed ? { synced, reason: 're-consent' } : null
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
