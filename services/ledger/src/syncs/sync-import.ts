import { isDeepStrictEqual } from 'node:util'
import { requireWritable } from '../accounts/bank-account.ts'
import { type Operation, openBook, type Settlement, settle } from '../money/book.ts'
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
import { matchOf } from './sync-match.ts'
import { type Desk, layOut, lookUp, openDesk } from './synced-transactions.ts'

/** What became of an item; one in another currency than the account's is skipped. */
export type Imported =
  | { transactionId: string; outcome: 'created' | 'updated' | 'unchanged'; reason: MatchReason }
  | { transactionId: ''; outcome: 'skipped'; reason: 'amount' | 'currency' | 'date' }

/** IDs for new rows, ascending: as many of each as there are items. */
export type NewIds = { transactionIds: readonly string[]; recordIds: readonly string[] }

/** A batch of one provider, and the transactions that its items may be about. */
export type ImportBatch = {
  items: readonly ProviderItem[]
  known: readonly SyncedTransaction[]
  ids: NewIds
  source: 'aggregator' | 'feed'
}

/** What a batch leaves behind, all of it to be saved together. */
export type SyncDecision = {
  settlement: Settlement
  inserted: Transaction[]
  updated: Transaction[]
  records: ProviderRecord[]
}

type Work = ImportBatch & { locked: Locked; desk: Desk; settlements: Settlements }

/**
 * Decides what a provider's transactions change (spec/syncs.md 3.2). The provider's fields follow
 * its last word; the name and the envelope are the user's and stay, so does a merchant that the
 * user has changed. An envelope follows the amount. Balances stay. New transactions get their IDs
 * in the order of their days.
 */
export function importTransactions(
  locked: Locked,
  batch: ImportBatch,
): SyncDecision & { imported: Map<string, Imported> } {
  requireWritable(locked.bankAccount)
  const settlements = startSettlements(locked)
  const work = { ...batch, locked, desk: openDesk(batch.known), settlements }
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
  return { ...changesOf(work.desk, batch.known), settlement: totalOf(settlements), imported }
}

/** What has changed on a desk since it was opened. */
export function changesOf(
  desk: Desk,
  known: readonly SyncedTransaction[],
): Omit<SyncDecision, 'settlement'> {
  const before = new Map(known.map((one) => [one.transaction.transactionId, one]))
  const changes: Omit<SyncDecision, 'settlement'> = { inserted: [], updated: [], records: [] }
  for (const { transaction, records } of desk.byTransaction.values()) {
    const old = before.get(transaction.transactionId)
    if (old === undefined) {
      changes.inserted.push(transaction)
    } else if (old.transaction !== transaction) {
      changes.updated.push(transaction)
    }
    changes.records.push(...records.filter((record) => !old?.records.includes(record)))
  }
  return changes
}

/** Of two items with one ID the later counts. */
function oldestFirst(items: readonly ProviderItem[]): ProviderItem[] {
  const last = new Map(items.map((item) => [item.providerTransactionId, item]))
  return [...last.values()].sort((a, b) => a.date.getTime() - b.date.getTime())
}

function importOne(work: Work, item: ProviderItem, index: number): Imported {
  const { desk, ids } = work
  const known = lookUp(desk, desk.byProviderId, item.providerTransactionId)
  const match = known === null ? matchOf(item, desk) : { synced: known, reason: null }
  if (match === null) {
    const transaction = newTransaction(work, item, idAt(ids.transactionIds, index))
    const { transactionId } = transaction
    const record = newRecord(work, item, { transactionId, index, reason: 'new' })
    layOut(desk, { transaction, records: [record] })
    return { transactionId, outcome: 'created', reason: 'new' }
  }
  const { synced } = match
  const { transactionId } = synced.transaction
  const own = synced.records.find((one) => isOf(one, item)) ?? null
  const reason = own?.matchReason ?? match.reason ?? 'new'
  const told = own
    ? { ...own, ...withoutNames(item) }
    : newRecord(work, item, { transactionId, index, reason })
  const after = replace(work, { synced, own, told, item, index })
  if (after === synced) {
    return { transactionId, outcome: 'unchanged', reason }
  }
  layOut(desk, after)
  return { transactionId, outcome: 'updated', reason }
}

/**
 * A transaction after its provider has told something of it. What was pending does not replace what
 * is posted, nor does one that was replaced itself; everything else is live from now on.
 */
function replace(
  work: Work,
  {
    synced,
    own,
    told,
    item,
    index,
  }: {
    synced: SyncedTransaction
    own: ProviderRecord | null
    told: ProviderRecord
    item: ProviderItem
    index: number
  },
): SyncedTransaction {
  const { now } = work.locked.operation
  const live = liveRecord(synced)
  const isLate = live !== null && item.isPending && !live.isPending
  const leads = live === null || isOf(live, item) || (own === null && !isLate)
  const record = { ...told, deletedAt: leads ? null : (own?.deletedAt ?? now) }
  const isRepeated = own !== null && isDeepStrictEqual(own, record)
  const others = synced.records
    .filter((one) => !isOf(one, item))
    .map((one) => (leads && one === live ? { ...one, deletedAt: now } : one))
  const transaction = leads ? follow(work, synced.transaction, { item, index }) : synced.transaction
  if (isRepeated && transaction === synced.transaction) {
    return synced
  }
  return { transaction, records: [...others, isRepeated ? own : record] }
}

/** The transaction as its provider now has it; the same one where that changes nothing. */
function follow(
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
  if (isDeepStrictEqual(merged, before)) {
    return before
  }
  const isSpent = before.deletedAt === null && before.amount === merged.amount
  return isSpent ? merged : { ...merged, ...spend(work, { before, merged, index }) }
}

/** Gives the envelope back what it gave, and takes from it anew; a deposit has no envelope. */
function spend(
  { locked, settlements }: Work,
  { before, merged, index }: { before: Transaction; merged: Transaction; index: number },
): Pick<Transaction, 'spendingId' | 'spendingAmount'> {
  const envelope = settlements.envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) {
    return { spendingId: before.spendingId, spendingAmount: before.spendingAmount }
  }
  const operation = operationOf(locked, index)
  const { bankAccount } = settlements
  const book = openBook({ bankAccount, envelopes: [envelope], operation })
  const reason = { cause: 'transaction', causeId: before.transactionId } as const
  giveBack(book, before, reason)
  const opened = book.envelopes.get(envelope.spendingId)
  const isAssigned = opened !== undefined && merged.amount >= 0n
  const given = isAssigned ? take(book, opened, { amount: merged.amount, ...reason }) : null
  addSettlement(settlements, settle(book))
  return { spendingId: isAssigned ? envelope.spendingId : null, spendingAmount: given }
}

/** Each transaction of a batch is an operation of its own in the journal. */
export function operationOf({ operation }: Locked, index: number): Operation {
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

/** The part of an item that its record keeps. */
function withoutNames({ displayName, originalName, ...rest }: ProviderItem) {
  return rest
}

function isOf(record: ProviderRecord, item: ProviderItem): boolean {
  return record.providerTransactionId === item.providerTransactionId
}

function idAt(ids: readonly string[], index: number): string {
  const id = ids[index]
  if (id === undefined) {
    throw new Error(`no ID for item ${index}`)
  }
  return id
}
