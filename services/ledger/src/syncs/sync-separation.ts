import type { MatchReason, ProviderRecord } from '../book/provider-record.ts'
import { liveRecord } from '../records/transaction-records.ts'
import { isUnlisted, type ProviderRow, type SyncedTransaction } from './provider-transaction.ts'
import {
  type ImportWork,
  idAt,
  isOf,
  newTransaction,
  rowOf,
  updateSynced,
  withoutNames,
} from './sync-merge.ts'

/** Rules by which a posted record joined a transaction by similarity, without naming its ID. */
const joiningReasons: readonly MatchReason[] = ['amount-date-name', 're-consent']

/**
 * Returns whether a feed lists a row as posted although the live record of its transaction is
 * another posted row, which the feed may list too. The two rows are then separate purchases that a
 * match by similarity has merged wrongly (docs/syncs.md#matching).
 */
export function isOtherPurchase(
  { source, listed }: ImportWork,
  synced: SyncedTransaction,
  row: ProviderRow,
): boolean {
  const live = liveRecord(synced)
  return (
    source === 'feed' &&
    !row.isPending &&
    live !== null &&
    !live.isPending &&
    !isOf(live, row) &&
    live.providerAccountId === row.providerAccountId &&
    !isUnlisted(listed, live)
  )
}

/**
 * Separates two purchases that share a transaction. The record that joined by similarity gets a new
 * transaction; the other record keeps the ID, and the user's name and envelope. Returns both, and
 * as `owner` the transaction of the row.
 */
export function separate(
  work: ImportWork,
  synced: SyncedTransaction,
  { own, row, index }: { own: ProviderRecord; row: ProviderRow; index: number },
): { kept: SyncedTransaction; created: SyncedTransaction; owner: SyncedTransaction } {
  const { transaction } = synced
  const { originalName } = transaction
  const transactionId = idAt(work.ids.transactionIds, index)
  const live = liveRecord(synced)
  const isJoined = live !== null && joiningReasons.includes(live.matchReason)
  const joined = isJoined && own.matchReason !== 'posted-first' ? live : null
  const leaving = joined ? { ...joined, ...rowOf(joined, originalName) } : { ...own, ...row }
  const record = {
    ...withoutNames(leaving),
    transactionId,
    matchReason: 'new' as const,
    joined: null,
  }
  const created = {
    transaction: newTransaction(work, leaving, transactionId),
    records: [{ ...record, deletedAt: null }],
  }
  const records = synced.records.filter((one) => !isOf(one, leaving))
  if (joined === null) return { kept: { transaction, records }, created, owner: created }
  const update = { own, updated: { ...own, ...withoutNames(row) }, row, index }
  const kept = updateSynced(work, { transaction, records }, update)
  return { kept, created, owner: kept }
}
