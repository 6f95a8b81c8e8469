import { isDeepStrictEqual } from 'node:util'
import { requireWritable } from '../accounts/bank-account.ts'
import {
  endOperation,
  type Operation,
  type Settlement,
  startOperation,
} from '../money/operation.ts'
import { addSettlement, type Settlements, startSettlements, totalOf } from '../money/settlements.ts'
import { giveBack, take } from '../money/spend.ts'
import { emptyTransaction, type Locked, type Transaction } from '../transactions/transaction.ts'
import {
  liveRecord,
  type MatchReason,
  type ProviderItem,
  type ProviderRecord,
  type SyncedTransaction,
} from './provider-transaction.ts'
import { findMatch } from './sync-match.ts'
import {
  addToIndex,
  createSyncedIndex,
  findSynced,
  type SyncedIndex,
} from './synced-transactions.ts'

/** The outcome of a provider's transaction; `reason` is the matching rule or the faulty field. */
export type Imported =
  | { transactionId: string; outcome: 'created' | 'updated' | 'unchanged'; reason: MatchReason }
  | { transactionId: ''; outcome: 'skipped'; reason: 'amount' | 'currency' | 'date' }

/** The items of an import call, and the stored transactions that they may match. */
export type ImportBatch = {
  items: readonly ProviderItem[]
  known: readonly SyncedTransaction[]
  /** Ascending IDs for new rows: for each item one transaction ID and one record ID. */
  ids: { transactionIds: readonly string[]; recordIds: readonly string[] }
  source: 'aggregator' | 'feed'
}

/** The rows that an import or removal saves. */
export type SyncDecision = {
  settlement: Settlement
  transactions: Transaction[]
  records: ProviderRecord[]
}

type Work = ImportBatch & { locked: Locked; syncedIndex: SyncedIndex; settlements: Settlements }

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
  const { syncedIndex, ids } = work
  const known = findSynced(syncedIndex, syncedIndex.byProviderId, item.providerTransactionId)
  const match = known === null ? findMatch(item, syncedIndex) : { synced: known, reason: null }
  if (match === null) {
    const transaction = newTransaction(work, item, idAt(ids.transactionIds, index))
    const { transactionId } = transaction
    const record = newRecord(work, item, { transactionId, index, reason: 'new' })
    addToIndex(syncedIndex, { transaction, records: [record] })
    return { transactionId, outcome: 'created', reason: 'new' }
  }
  const { synced } = match
  const { transactionId } = synced.transaction
  const own = synced.records.find((one) => isOf(one, item)) ?? null
  const reason = own?.matchReason ?? match.reason ?? 'new'
  const updated = own
    ? { ...own, ...withoutNames(item) }
    : newRecord(work, item, { transactionId, index, reason })
  const after = updateSynced(work, synced, { own, updated, item, index })
  if (after === synced) return { transactionId, outcome: 'unchanged', reason }
  addToIndex(syncedIndex, after)
  return { transactionId, outcome: 'updated', reason }
}

/** An item with its index in the batch, its stored record (null if new), and the record to save. */
type Update = {
  item: ProviderItem
  index: number
  own: ProviderRecord | null
  updated: ProviderRecord
}

/**
 * Returns the transaction after an item changes it (docs/syncs.md#changes); the same object if
 * nothing differs.
 */
function updateSynced(
  work: Work,
  synced: SyncedTransaction,
  { own, updated, item, index }: Update,
): SyncedTransaction {
  const { now } = work.locked.operation
  const live = liveRecord(synced)
  const isLate = live !== null && item.isPending && !live.isPending
  const leads = live === null || isOf(live, item) || (own === null && !isLate)
  const record = { ...updated, deletedAt: leads ? null : (own?.deletedAt ?? now) }
  const isRepeated = own !== null && isDeepStrictEqual(own, record)
  const others = synced.records
    .filter((one) => !isOf(one, item))
    .map((one) => (leads && one === live ? { ...one, deletedAt: now } : one))
  const transaction = leads
    ? mergeTransaction(work, synced.transaction, { item, index })
    : synced.transaction
  if (isRepeated && transaction === synced.transaction) return synced
  return { transaction, records: [...others, isRepeated ? own : record] }
}

/** Returns the transaction with the provider's latest values; the same object if none differs. */
function mergeTransaction(
  work: Work,
  before: Transaction,
  { item, index }: { item: ProviderItem; index: number },
): Transaction {
  const isOwnMerchant = (before.merchantName ?? '') !== before.originalMerchantName
  const merged: Transaction = {
    ...before,
    amount: item.amount,
    date: item.date,
    categories: item.categories,
    category: item.category,
    isPending: item.isPending,
    originalName: item.isPending ? before.originalName : item.originalName,
    merchantName: isOwnMerchant ? before.merchantName : item.merchantName || null,
    originalMerchantName: item.merchantName,
    deletedAt: null,
  }
  if (isDeepStrictEqual(merged, before)) return before
  const isSpent = before.deletedAt === null && before.amount === merged.amount
  return isSpent ? merged : { ...merged, ...spendAgain(work, { before, merged, index }) }
}

/** Gives back the old amount and takes the new one; returns the assignment, null for a deposit. */
function spendAgain(
  { locked, settlements }: Work,
  { before, merged, index }: { before: Transaction; merged: Transaction; index: number },
): Pick<Transaction, 'spendingId' | 'spendingAmount'> {
  const envelope = settlements.envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) {
    return { spendingId: before.spendingId, spendingAmount: before.spendingAmount }
  }
  const operation = createOperation(locked, index)
  const { bankAccount } = settlements
  const started = startOperation({ bankAccount, envelopes: [envelope], operation })
  const reason = { cause: 'transaction', causeId: before.transactionId } as const
  giveBack(started, before, reason)
  const opened = started.envelopes.get(envelope.spendingId)
  const isAssigned = opened !== undefined && merged.amount >= 0n
  const given = isAssigned ? take(started, opened, { amount: merged.amount, ...reason }) : null
  addSettlement(settlements, endOperation(started))
  return { spendingId: isAssigned ? envelope.spendingId : null, spendingAmount: given }
}

/** Returns the journal operation of one item in a batch. */
export function createOperation({ operation }: Locked, index: number): Operation {
  return { ...operation, operationId: `${operation.operationId}/${index}` }
}

function newTransaction(
  { locked, source }: Work,
  item: ProviderItem,
  transactionId: string,
): Transaction {
  const { amount, date } = item
  const created = { transactionId, amount, date, source, createdAt: locked.operation.now }
  return {
    ...emptyTransaction(locked.bankAccount, created),
    categories: item.categories,
    category: item.category,
    name: item.displayName || null,
    originalName: item.originalName,
    merchantName: item.merchantName || null,
    originalMerchantName: item.merchantName,
    isPending: item.isPending,
  }
}

function newRecord(
  { locked, ids }: Work,
  item: ProviderItem,
  of: { transactionId: string; index: number; reason: MatchReason },
): ProviderRecord {
  const { accountId, bankAccountId } = locked.bankAccount
  return {
    accountId,
    bankAccountId,
    recordId: idAt(ids.recordIds, of.index),
    transactionId: of.transactionId,
    ...withoutNames(item),
    matchReason: of.reason,
    createdAt: locked.operation.now,
    deletedAt: null,
  }
}

/** Returns the fields of an item that its provider record stores. */
function withoutNames({ displayName, originalName, ...rest }: ProviderItem) {
  return rest
}

function isOf(record: ProviderRecord, item: ProviderItem): boolean {
  return record.providerTransactionId === item.providerTransactionId
}

function idAt(ids: readonly string[], index: number): string {
  const id = ids[index]
  if (id === undefined) throw new Error(`no ID for item ${index}`)
  return id
}
