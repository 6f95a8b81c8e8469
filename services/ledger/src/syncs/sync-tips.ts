import type { ProviderRecord } from '../book/provider-record.ts'
import { findJoined, lastRecord, liveRecord } from '../records/transaction-records.ts'
import type { ProviderRow, SyncedTransaction } from './provider-transaction.ts'
import { hasEdits, joinedTo, joinPosted, takeApart } from './sync-join.ts'
import { findMatch, isPendingOf, type Match } from './sync-match.ts'
import { type ImportWork, idAt, type SyncWork } from './sync-merge.ts'
import { addToIndex, findSynced, type SyncedIndex } from './synced-transactions.ts'
import { listPostedAlone, listUnposted, pairTips } from './tip-pairs.ts'

/**
 * An import in progress. A row with a tip is a posted row with a higher amount than its pending
 * transaction. `tips` has the IDs of these pending transactions, by the IDs of the rows.
 */
export type TipWork = ImportWork & {
  syncedIndex: SyncedIndex
  tips: ReadonlyMap<string, string>
}

/**
 * Pairs rows that match nothing else with withdrawn pending transactions of another amount
 * (docs/syncs.md#tips-and-holds). Returns the transaction ID for each paired row's ID.
 */
export function findTips(
  rows: readonly ProviderRow[],
  work: Pick<TipWork, 'source' | 'listed' | 'syncedIndex'> & {
    renewed: ReadonlyMap<string, string>
  },
): Map<string, string> {
  const { listed, syncedIndex, renewed } = work
  const unposted = listUnposted(syncedIndex.byTransaction.values())
  const withdrawn = unposted.filter((one) => {
    const isListed = one.records.some((record) => listed.ids.has(record.providerTransactionId))
    return liveRecord(one) === null && !isListed && hasEdits(one)
  })
  if (withdrawn.length === 0) return new Map()
  const unknown = rows.filter(
    (row) =>
      !row.isPending &&
      row.pendingProviderTransactionId === null &&
      !syncedIndex.byProviderId.has(row.providerTransactionId) &&
      !renewed.has(row.providerTransactionId) &&
      findMatch(row, syncedIndex, work) === null,
  )
  const postedRows = [
    ...unknown.map((stated) => ({ stated, synced: null })),
    ...listPostedAlone(syncedIndex.byTransaction.values()),
  ]
  const pairs = pairTips(postedRows, unposted)
  return new Map(
    unknown.flatMap((row): [string, string][] => {
      const pending = pairs.get(row)
      const isTip = pending !== undefined && withdrawn.includes(pending)
      return isTip ? [[row.providerTransactionId, pending.transaction.transactionId]] : []
    }),
  )
}

/**
 * Returns the withdrawn pending transaction that a row with a tip joins; null if there is none, or
 * an earlier row of the import has joined or renewed it.
 */
export function findTip({ syncedIndex, tips }: TipWork, row: ProviderRow): Match | null {
  const synced = findSynced(syncedIndex, tips, row.providerTransactionId)
  if (!synced?.transaction.isPending || liveRecord(synced) !== null) return null
  const joined = joinedTo(synced, { by: 'rule', from: null })
  return { synced, reason: 'amount-date-name', joined }
}

/**
 * Joins posted transactions with a tip to their pending ones among `removed`. Skips posted ones
 * that the user has changed, and pending ones that the user has not changed, as they have nothing
 * to carry over. Returns the number of joins.
 */
export function joinTips(
  work: SyncWork,
  syncedIndex: SyncedIndex,
  removed: ReadonlySet<string>,
): number {
  const all = [...syncedIndex.byTransaction.values()]
  const postedRows = listPostedAlone(all)
  const pairs = pairTips(postedRows, listUnposted(all))
  let count = 0
  for (const { stated, synced: posted } of postedRows) {
    const pending = pairs.get(stated)
    if (!posted || !pending || !removed.has(pending.transaction.transactionId)) continue
    if (hasEdits(posted) || !hasEdits(pending)) continue
    const how = { by: 'rule' as const, index: `tip-${count}` }
    const { kept, left } = joinPosted(work, { pending, posted }, how)
    addToIndex(syncedIndex, left)
    addToIndex(syncedIndex, kept)
    count += 1
  }
  return count
}

/**
 * Separates a pending transaction from the posted row with a tip that has joined it, if the
 * provider lists the pending row again: the two are different purchases. Returns the pending
 * transaction; null if no such join exists.
 */
export function separateListedAgain(
  work: TipWork,
  synced: SyncedTransaction,
  { own, row, index }: { own: ProviderRecord; row: ProviderRow; index: number },
): SyncedTransaction | null {
  const isPosted = liveRecord(synced)?.isPending === false
  const isAgain = own.isPending && row.isPending && isPosted
  return isAgain && findJoined(synced)?.by === 'rule' ? separateTip(work, synced, index) : null
}

/**
 * Finds a pending transaction that a row names, or posts with the same amount, although a posted
 * row with a tip has joined it: the joined row was another purchase. Separates the two and returns
 * the pending transaction, null if there is none.
 */
export function findDisplaced(work: TipWork, row: ProviderRow, index: number): Match | null {
  for (const synced of row.isPending ? [] : work.syncedIndex.byTransaction.values()) {
    if (findJoined(synced)?.by !== 'rule') continue
    const records = synced.records.filter(({ isPending }) => isPending)
    const last = lastRecord({ records })
    const named = row.pendingProviderTransactionId
    const isNamed = records.some((one) => one.providerTransactionId === named)
    const isAlike = last?.amount === row.amount && isPendingOf(row, { last, synced })
    if (!isNamed && !isAlike) continue
    const reason = isNamed ? 'pending-id' : 'amount-date-name'
    return { synced: separateTip(work, synced, index), reason }
  }
  return null
}

/** Moves a posted record with a tip to a new transaction; returns the pending transaction. */
function separateTip(work: TipWork, synced: SyncedTransaction, index: number): SyncedTransaction {
  const transactionId = idAt(work.ids.transactionIds, index)
  const of = { former: null, transactionId, index, isRejected: false }
  const { kept, left } = takeApart(work, synced, of)
  addToIndex(work.syncedIndex, kept)
  addToIndex(work.syncedIndex, left)
  return kept
}
