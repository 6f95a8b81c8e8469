import { dayMs } from '@coffer/kit/values/time'
import type { MatchReason, ProviderRecord } from '../book/provider-record.ts'
import { lastRecord, liveRecord } from '../records/transaction-records.ts'
import type { ProviderItem, SyncedTransaction } from './provider-transaction.ts'
import { findSynced, type SyncedIndex } from './synced-transactions.ts'

/** Maximum number of days from the pending to the posted day; hotels hold amounts longest. */
export const postingDaysMax = 10
/** Minimum days from pending to posted day; -1, as banks choose either day near midnight. */
export const postingDaysMin = -1

const PREFIX_LENGTH_MIN = 5

export type Match = { synced: SyncedTransaction; reason: MatchReason }

/**
 * Returns the stored transaction that matches an item whose provider ID is not stored, and the rule
 * that applied; null if the item is a new transaction (docs/syncs.md#matching).
 */
export function findMatch(
  item: ProviderItem,
  syncedIndex: SyncedIndex,
  { source }: { source: 'aggregator' | 'feed' },
): Match | null {
  const named = item.isPending
    ? null
    : findSynced(syncedIndex, syncedIndex.byProviderId, item.pendingProviderTransactionId)
  if (named !== null && !isPosted(named)) return { synced: named, reason: 'pending-id' }
  const naming = findSynced(syncedIndex, syncedIndex.byPendingId, item.providerTransactionId)
  if (item.isPending && naming !== null) return { synced: naming, reason: 'posted-first' }
  const again = findBest(item, syncedIndex, isReconsented)
  if (again !== null) return { synced: again, reason: 're-consent' }
  const posted = source === 'feed' ? findBest(item, syncedIndex, isPostedOf) : null
  if (posted !== null) return { synced: posted, reason: 'posted-first' }
  const alike = findBest(item, syncedIndex, isPendingOf)
  return alike === null ? null : { synced: alike, reason: 'amount-date-name' }
}

function isPosted(synced: SyncedTransaction): boolean {
  return liveRecord(synced)?.isPending === false
}

type Candidate = { last: ProviderRecord; synced: SyncedTransaction }

/** Returns the match of equal amount with the nearest day (then smallest ID); null if none. */
function findBest(
  item: ProviderItem,
  syncedIndex: SyncedIndex,
  isMatch: (item: ProviderItem, candidate: Candidate) => boolean,
): SyncedTransaction | null {
  const ids = [...(syncedIndex.byAmount.get(item.amount) ?? [])]
  const candidates = ids.flatMap((id) => {
    const synced = syncedIndex.byTransaction.get(id)
    const last = synced && lastRecord(synced)
    return last && isMatch(item, { last, synced }) ? [{ last, synced }] : []
  })
  const [nearest] = candidates.sort(
    (a, b) =>
      Math.abs(daysAfter(a.last, item)) - Math.abs(daysAfter(b.last, item)) ||
      (a.synced.transaction.transactionId < b.synced.transaction.transactionId ? -1 : 1),
  )
  return nearest?.synced ?? null
}

function isReconsented(item: ProviderItem, { last, synced }: Candidate): boolean {
  return (
    isFromBefore(item, synced) &&
    last.deletedAt === null &&
    last.isPending === item.isPending &&
    daysAfter(last, item) === 0 &&
    textsOf(item).some((text) => textsOf(last).includes(text))
  )
}

function isPendingOf(item: ProviderItem, { last, synced }: Candidate): boolean {
  const days = daysAfter(last, item)
  return (
    !item.isPending &&
    last.isPending &&
    days >= postingDaysMin &&
    days <= postingDaysMax &&
    (item.pendingProviderTransactionId === null || isFromBefore(item, synced)) &&
    haveAlikeTexts(item, last)
  )
}

/**
 * Returns whether a pending item of a feed, which names no posted transaction, is the pending state
 * of a posted one that was imported first. Without the tolerance of `postingDaysMin`, because a
 * pending item of a later day is usually the next purchase. A transaction that had a pending record
 * is no match: that record was its pending state.
 */
function isPostedOf(item: ProviderItem, { last, synced }: Candidate): boolean {
  const days = daysAfter(item, last)
  return (
    item.isPending &&
    last.deletedAt === null &&
    last.providerAccountId === item.providerAccountId &&
    last.pendingProviderTransactionId === null &&
    synced.records.every(({ isPending }) => !isPending) &&
    days >= 0 &&
    days <= postingDaysMax &&
    haveAlikeTexts(item, last)
  )
}

/** Returns whether no record was imported under the same alias of the bank account as the item. */
function isFromBefore(item: ProviderItem, { records }: SyncedTransaction): boolean {
  return records.every(({ providerAccountId }) => providerAccountId !== item.providerAccountId)
}

/** Returns the days between two midnights, rounded because a day may have 23 or 25 hours. */
function daysAfter(before: { date: Date }, after: { date: Date }): number {
  return Math.round((after.date.getTime() - before.date.getTime()) / dayMs)
}

/** Returns the names as lower-case letters: banks change digits, blanks and case on posting. */
export function textsOf({ name, merchantName }: { name: string; merchantName: string }): string[] {
  return [name, merchantName].flatMap((text) => {
    const letters = text.normalize('NFKD').toLowerCase().replaceAll(/\P{L}/gu, '')
    return letters === '' ? [] : [letters]
  })
}

function haveAlikeTexts(item: ProviderItem, record: ProviderRecord): boolean {
  return textsOf(item).some((text) => textsOf(record).some((other) => areAlike(text, other)))
}

function areAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return short === long || (short.length >= PREFIX_LENGTH_MIN && long.startsWith(short))
}
