import type { Joined, MatchReason, ProviderRecord } from '../book/provider-record.ts'
import { daysAfter } from '../book/transaction.ts'
import { lastRecord, liveRecord } from '../records/transaction-records.ts'
import type { ProviderRow, SyncedTransaction } from './provider-transaction.ts'
import { findSynced, type SyncedIndex } from './synced-transactions.ts'

/** Maximum number of days from the pending to the posted day; hotels hold amounts longest. */
export const postingDaysMax = 10
/** Minimum days from pending to posted day: -1, because near midnight banks use either day. */
export const postingDaysMin = -1

const PREFIX_LENGTH_MIN = 5

export type Match = { synced: SyncedTransaction; reason: MatchReason; joined?: Joined }

/**
 * Returns the stored transaction that matches a row whose provider ID is not stored, and the rule
 * that applied; null if the row is a new transaction (docs/syncs.md#matching).
 */
export function findMatch(
  row: ProviderRow,
  syncedIndex: SyncedIndex,
  { source }: { source: 'aggregator' | 'feed' },
): Match | null {
  const named = row.isPending
    ? null
    : findSynced(syncedIndex, syncedIndex.byProviderId, row.pendingProviderTransactionId)
  if (named !== null && !isPosted(named)) return { synced: named, reason: 'pending-id' }
  const naming = findSynced(syncedIndex, syncedIndex.byPendingId, row.providerTransactionId)
  if (row.isPending && naming !== null) return { synced: naming, reason: 'posted-first' }
  const again = findBest(row, syncedIndex, isReconsented)
  if (again !== null) return { synced: again, reason: 're-consent' }
  const posted = source === 'feed' ? findBest(row, syncedIndex, isPostedOf) : null
  if (posted !== null) return { synced: posted, reason: 'posted-first' }
  const alike = findBest(row, syncedIndex, isPendingOf)
  return alike === null ? null : { synced: alike, reason: 'amount-date-name' }
}

function isPosted(synced: SyncedTransaction): boolean {
  return liveRecord(synced)?.isPending === false
}

type Candidate = { last: ProviderRecord; synced: SyncedTransaction }

/** Returns the match of equal amount with the nearest day (then smallest ID); null if none. */
function findBest(
  row: ProviderRow,
  syncedIndex: SyncedIndex,
  isMatch: (row: ProviderRow, candidate: Candidate) => boolean,
): SyncedTransaction | null {
  const ids = [...(syncedIndex.byAmount.get(row.amount) ?? [])]
  const candidates = ids.flatMap((id) => {
    const synced = syncedIndex.byTransaction.get(id)
    const last = synced && lastRecord(synced)
    return last && isMatch(row, { last, synced }) ? [{ last, synced }] : []
  })
  const [nearest] = candidates.sort(
    (a, b) =>
      Math.abs(daysAfter(a.last, row)) - Math.abs(daysAfter(b.last, row)) ||
      (a.synced.transaction.transactionId < b.synced.transaction.transactionId ? -1 : 1),
  )
  return nearest?.synced ?? null
}

function isReconsented(row: ProviderRow, { last, synced }: Candidate): boolean {
  return (
    isFromBefore(row, synced) &&
    last.deletedAt === null &&
    last.isPending === row.isPending &&
    daysAfter(last, row) === 0 &&
    textsOf(row).some((text) => textsOf(last).includes(text))
  )
}

/** Returns whether a row of the same amount posts a pending transaction. */
export function isPendingOf(row: ProviderRow, { last, synced }: Candidate): boolean {
  return (
    !row.isPending &&
    last.isPending &&
    isPostingDay(last, row) &&
    (row.pendingProviderTransactionId === null || isFromBefore(row, synced)) &&
    haveAlikeTexts(row, last)
  )
}

/**
 * Returns whether a pending row of a feed, which names no posted transaction, is the pending state
 * of a posted one that was imported first. Without the tolerance of `postingDaysMin`, because a
 * pending row of a later day is usually the next purchase. A transaction that had a pending record
 * is no match: that record was its pending state.
 */
function isPostedOf(row: ProviderRow, { last, synced }: Candidate): boolean {
  const days = daysAfter(row, last)
  return (
    row.isPending &&
    last.deletedAt === null &&
    last.providerAccountId === row.providerAccountId &&
    last.pendingProviderTransactionId === null &&
    synced.records.every(({ isPending }) => !isPending) &&
    days >= 0 &&
    days <= postingDaysMax &&
    haveAlikeTexts(row, last)
  )
}

/** Returns whether no record was imported under the same alias of the bank account as the row. */
function isFromBefore(row: ProviderRow, { records }: SyncedTransaction): boolean {
  return records.every(({ providerAccountId }) => providerAccountId !== row.providerAccountId)
}

/** Returns whether the days are as near as those of a pending transaction and its posting. */
export function isPostingDay(pending: { date: Date }, posted: { date: Date }): boolean {
  const days = daysAfter(pending, posted)
  return days >= postingDaysMin && days <= postingDaysMax
}

type Named = Pick<ProviderRow, 'name' | 'merchantName'>

/**
 * Returns the names as lower-case letters only, because banks change digits, blanks and case when
 * they post a transaction.
 */
export function textsOf(named: Named, others = /\P{L}/gu): string[] {
  return [named.name, named.merchantName].flatMap((text) => {
    const letters = text.normalize('NFKD').toLowerCase().replaceAll(others, '')
    return letters === '' ? [] : [letters]
  })
}

/** Returns whether two texts are equal except for case, accents, blanks and signs. */
export function haveSameText(one: Named, other: Named): boolean {
  const [texts, others] = [one, other].map((named) => textsOf(named, /[^\p{L}\p{N}]/gu))
  return texts?.some((text) => others?.includes(text)) === true
}

export function haveAlikeTexts(row: Named, record: Named): boolean {
  return textsOf(row).some((text) => textsOf(record).some((other) => areAlike(text, other)))
}

function areAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return short === long || (short.length >= PREFIX_LENGTH_MIN && long.startsWith(short))
}
