import { dayMs } from '@coffer/kit/values/time'
import {
  lastRecord,
  liveRecord,
  type MatchReason,
  type ProviderItem,
  type ProviderRecord,
  type SyncedTransaction,
} from './provider-transaction.ts'
import { type Desk, lookUp } from './synced-transactions.ts'

/** Days that a bank takes to post what is pending, at most; holds of hotels take longest. */
export const postingDaysMax = 10
/** A posted day may be earlier than the pending one: banks differ about midnight. */
export const postingDaysMin = -1

const PREFIX_LENGTH_MIN = 5

type Match = { synced: SyncedTransaction; reason: MatchReason }

/**
 * The known transaction that an item with an unknown ID is, and why; null where it is a new one
 * (spec/syncs.md 3.2). What the provider says counts before what things look like:
 *
 * 1. it names a pending one that is known, also one that was removed meanwhile;
 * 2. it is the pending one that a posted one has named;
 * 3. under an earlier ID of the bank account there is one of the same day, amount and text that
 *    has not been seen under the present one;
 * 4. it is posted and a pending one of the same amount, about that day, has a text alike. Where it
 *    names a pending one that is not known, only what was seen under an earlier ID comes in
 *    question.
 */
export function matchOf(item: ProviderItem, desk: Desk): Match | null {
  const named = item.isPending ? null : lookUp(desk, desk.byProviderId, namedBy(item))
  if (named !== null && !isPosted(named)) {
    return { synced: named, reason: 'pending-id' }
  }
  const naming = lookUp(desk, desk.byPendingId, item.providerTransactionId)
  if (item.isPending && naming !== null) {
    return { synced: naming, reason: 'posted-first' }
  }
  const again = best(item, desk, isSeenAgain)
  if (again !== null) {
    return { synced: again, reason: 're-consent' }
  }
  const alike = best(item, desk, isPendingOf)
  return alike === null ? null : { synced: alike, reason: 'amount-date-name' }
}

function namedBy(item: ProviderItem): string | null {
  return item.pendingProviderTransactionId
}

function isPosted(synced: SyncedTransaction): boolean {
  return liveRecord(synced)?.isPending === false
}

type Candidate = { last: ProviderRecord; synced: SyncedTransaction }

/** Of the candidates with the item's amount the nearest day, then the oldest transaction. */
function best(
  item: ProviderItem,
  desk: Desk,
  isMatch: (item: ProviderItem, candidate: Candidate) => boolean,
): SyncedTransaction | null {
  const ids = [...(desk.byAmount.get(item.amount) ?? [])]
  const candidates = ids.flatMap((id) => {
    const synced = desk.byTransaction.get(id)
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

function isSeenAgain(item: ProviderItem, { last, synced }: Candidate): boolean {
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
    textsOf(item).some((text) => textsOf(last).some((other) => areAlike(text, other)))
  )
}

/** Whether the transaction was only ever seen under other IDs of the bank account. */
function isFromBefore(item: ProviderItem, { records }: SyncedTransaction): boolean {
  return records.every(({ providerAccountId }) => providerAccountId !== item.providerAccountId)
}

/** Whole days between two local midnights, which daylight saving may move apart by an hour. */
function daysAfter(before: { date: Date }, after: { date: Date }): number {
  return Math.round((after.date.getTime() - before.date.getTime()) / dayMs)
}

/** What a record calls itself, letters only: banks change numbers, blanks and case on posting. */
function textsOf({ name, merchantName }: { name: string; merchantName: string }): string[] {
  return [name, merchantName].flatMap((text) => {
    const letters = text.normalize('NFKD').toLowerCase().replaceAll(/\P{L}/gu, '')
    return letters === '' ? [] : [letters]
  })
}

function areAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return short === long || (short.length >= PREFIX_LENGTH_MIN && long.startsWith(short))
}
