import { requireWritable } from '../book/bank-account.ts'
import type { MatchReason, ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'
import type { Locked, Settlement } from '../money/operation.ts'
import { startSettlements, totalOf } from '../money/settlements.ts'
import { liveRecord } from '../records/transaction-records.ts'
import type { CompiledRules } from '../rules/rule.ts'
import { assignByRule, tidyTransaction } from '../rules/rule-effects.ts'
import { hasOwnName } from '../transactions/provenance.ts'
import { isUnlisted, type ProviderRow, type SyncedTransaction } from './provider-transaction.ts'
import { isRenamed } from './sync-join.ts'
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
import { findDisplaced, findTip, findTips, separateListedAgain, type TipWork } from './sync-tips.ts'
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
      /** Whether this call matched the row with a transaction stored under another ID. */
      isMatch: boolean
    }
  | { transactionId: ''; outcome: 'skipped'; reason: 'amount' | 'currency' | 'date' }

/** The rows of an import call, and the stored transactions that they may match. */
export type ImportBatch = Pick<ImportWork, 'ids' | 'source' | 'listed'> & {
  rows: readonly ProviderRow[]
  known: readonly SyncedTransaction[]
  rules: CompiledRules
}

/** The rows that an import or removal saves. */
export type SyncDecision = {
  settlement: Settlement
  transactions: Transaction[]
  records: ProviderRecord[]
}

/**
 * `renewed` has transaction IDs, keyed by the new IDs that the provider has given to their rows.
 */
type Work = TipWork & { renewed: ReadonlyMap<string, string> }

/**
 * Returns the rows that an import call saves (docs/syncs.md#changes), each row's outcome, and how
 * many live records the call ends.
 */
export function importTransactions(
  locked: Locked,
  batch: ImportBatch,
): SyncDecision & { imported: Map<string, Imported>; replaced: number } {
  requireWritable(locked.bankAccount)
  const settlements = startSettlements(locked)
  const isOwn = ({ currency }: ProviderRow) => currency === locked.bankAccount.currency
  const rows = oldestFirst(batch.rows)
  const syncedIndex = createSyncedIndex(batch.known)
  const renewed = pairRenewed(rows.filter(isOwn), syncedIndex, batch.listed)
  const tips = findTips(rows.filter(isOwn), { ...batch, syncedIndex, renewed })
  const work = { ...batch, locked, syncedIndex, settlements, renewed, tips }
  const imported = new Map<string, Imported>()
  for (const [index, row] of rows.entries()) {
    imported.set(
      row.providerTransactionId,
      !isOwn(row)
        ? { transactionId: '', outcome: 'skipped', reason: 'currency' }
        : importOne(work, row, index),
    )
  }
  markNames(work, batch.known)
  tidyBorn(work, batch)
  const changes = findChanges(syncedIndex, batch.known)
  const replaced = countEnded(batch.known, changes)
  return { ...changes, settlement: totalOf(settlements), imported, replaced }
}

/**
 * Marks names that the provider stated earlier and states no longer. A sync keeps the name of a
 * transaction; without the mark it would count as set by the user.
 */
function markNames({ syncedIndex }: Work, known: readonly SyncedTransaction[]): void {
  for (const { transaction: former, records } of known) {
    const synced = syncedIndex.byTransaction.get(former.transactionId)
    const { name, fieldMarks } = synced?.transaction ?? former
    if (!synced || name === null || name !== former.name || fieldMarks?.name) continue
    const isStated = !hasOwnName(former, records, isRenamed)
    if (!isStated || !hasOwnName(synced.transaction, synced.records, isRenamed)) continue
    const marks = { ...fieldMarks, name: { ruleId: null, value: name } }
    addToIndex(syncedIndex, {
      ...synced,
      transaction: { ...synced.transaction, fieldMarks: marks },
    })
  }
}

/**
 * Applies the rules to transactions that the call creates, and to pending ones that it posts
 * (docs/rules/rules.md#when-rules-run): payments before refunds, because a refund is limited to the
 * amounts that payments have taken.
 */
function tidyBorn(work: Work, { rules, known }: Pick<ImportBatch, 'rules' | 'known'>): void {
  const { syncedIndex } = work
  if (rules.rules.length === 0) return
  const before = new Map(known.map(({ transaction: one }) => [one.transactionId, one]))
  const born = [...syncedIndex.byTransaction.values()].filter(({ transaction: one }) => {
    const former = before.get(one.transactionId)
    const isBorn = former === undefined || (former.isPending && !one.isPending)
    return isBorn && one.deletedAt === null
  })
  const refunds = born.filter(({ transaction: { amount } }) => amount < 0n)
  for (const synced of [...born.filter((one) => !refunds.includes(one)), ...refunds]) {
    const isNamed = hasOwnName(synced.transaction, synced.records, isRenamed)
    const { transaction, envelope } = tidyTransaction(rules, synced.transaction, isNamed)
    const assigned = envelope ? assignByRule(work, transaction, envelope) : transaction
    if (assigned !== synced.transaction)
      addToIndex(syncedIndex, { ...synced, transaction: assigned })
  }
}

function countEnded(
  known: readonly SyncedTransaction[],
  { records }: Pick<SyncDecision, 'records'>,
): number {
  const live = new Set(known.map((one) => liveRecord(one)?.recordId))
  return records.filter((one) => one.deletedAt !== null && live.has(one.recordId)).length
}

/** Counts outcomes; a match counts as `matched` only. */
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

/** Sorts rows by ascending day; of rows with an equal ID only the last counts. */
function oldestFirst(rows: readonly ProviderRow[]): ProviderRow[] {
  const last = new Map(rows.map((row) => [row.providerTransactionId, row]))
  return [...last.values()].sort((a, b) => a.date.getTime() - b.date.getTime())
}

function importOne(work: Work, row: ProviderRow, index: number): Imported {
  const { syncedIndex } = work
  const known = findSynced(syncedIndex, syncedIndex.byProviderId, row.providerTransactionId)
  if (known !== null) return updateKnown(work, known, { row, index })
  const match =
    findRenewed(work, row) ??
    findMatch(row, syncedIndex, work) ??
    findDisplaced(work, row, index) ??
    findTip(work, row)
  if (match === null) {
    const transaction = newTransaction(work, row, idAt(work.ids.transactionIds, index))
    const { transactionId } = transaction
    const record = newRecord(work, row, { transactionId, index, reason: 'new' })
    addToIndex(syncedIndex, { transaction, records: [record] })
    return { transactionId, outcome: 'created', reason: 'new', isMatch: false }
  }
  const { synced, reason, joined } = match
  const { transactionId } = synced.transaction
  const updated = newRecord(work, row, { transactionId, index, reason, ...(joined && { joined }) })
  addToIndex(syncedIndex, updateSynced(work, synced, { own: null, updated, row, index }))
  return { transactionId, outcome: 'updated', reason, isMatch: true }
}

/** Returns the transaction of a row with a renewed ID, unless an earlier row has changed it. */
function findRenewed({ syncedIndex, renewed, listed }: Work, row: ProviderRow): Match | null {
  const synced = findSynced(syncedIndex, renewed, row.providerTransactionId)
  const live = synced && liveRecord(synced)
  const isRenewed = live?.isPending === row.isPending && isUnlisted(listed, live)
  return synced && isRenewed ? { synced, reason: 're-consent' } : null
}

/** Updates the transaction that has a record of the row's ID. */
function updateKnown(
  work: Work,
  synced: SyncedTransaction,
  { row, index }: { row: ProviderRow; index: number },
): Imported {
  const own = synced.records.find((one) => isOf(one, row))
  if (own === undefined) throw new Error('the index names a transaction without the record')
  const known = { reason: own.matchReason, isMatch: false }
  const again = separateListedAgain(work, synced, { own, row, index })
  if (again) return updateKnown(work, again, { row, index })
  if (isOtherPurchase(work, synced, row)) {
    const { kept, created, owner } = separate(work, synced, { own, row, index })
    addToIndex(work.syncedIndex, kept)
    addToIndex(work.syncedIndex, created)
    const { transactionId } = owner.transaction
    const outcome = owner === created ? 'created' : 'updated'
    return { transactionId, outcome, ...known }
  }
  const { transactionId } = synced.transaction
  const updated = { ...own, ...withoutNames(row) }
  const after = updateSynced(work, synced, { own, updated, row, index })
  if (after === synced) return { transactionId, outcome: 'unchanged', ...known }
  addToIndex(work.syncedIndex, after)
  return { transactionId, outcome: 'updated', ...known }
}
