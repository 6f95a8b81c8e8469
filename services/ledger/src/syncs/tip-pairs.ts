import { decimalPlaces } from '@coffer/kit/values/currency'
import type { ProviderRecord } from '../book/provider-record.ts'
import { daysAfter } from '../book/transaction.ts'
import { lastRecord, liveRecord } from '../records/transaction-records.ts'
import type { ProviderRow, SyncedTransaction } from './provider-transaction.ts'
import { hasEdits } from './sync-join.ts'
import { haveAlikeTexts, haveSameText, isPostingDay, postingDaysMax } from './sync-match.ts'

/** The values by which a pending and a posted row of one purchase are recognized. */
type Stated = Pick<ProviderRow, 'amount' | 'currency' | 'date' | 'name' | 'merchantName'>

/** A posted row that has joined no pending one; `synced` is null if it is not stored yet. */
export type PostedRow = { stated: Stated; synced: SyncedTransaction | null }

/**
 * Returns whether a posted row is a pending one with a tip, or the final amount of a hold: the same
 * text, within 10 days, and up to 30 % more, or any amount after a hold of at most 1.00
 * (docs/syncs.md#tips-and-holds).
 */
function isTipOf(pending: Stated, posted: Stated): boolean {
  const isMore = isLarger(pending, posted) && isWithin(pending, posted, [10n, 13n])
  return (
    isPostingDay(pending, posted) &&
    (isMore || isHoldOf(pending, posted)) &&
    haveSameText(pending, posted)
  )
}

function isLarger(pending: Stated, posted: Stated): boolean {
  return pending.amount > 0n ? posted.amount > pending.amount : posted.amount < pending.amount
}

/** Returns whether the posted amount is at most `times`/`of` of the pending amount. */
function isWithin(pending: Stated, posted: Stated, [of, times]: [bigint, bigint]): boolean {
  const [before, after] = [pending.amount * times, posted.amount * of]
  return pending.amount > 0n ? after <= before : pending.amount < 0n && after >= before
}

function isHoldOf({ amount, currency }: Stated, posted: Stated): boolean {
  // At most three places, because the SQL of `tipTransactions` reads holds up to 1,000 minor units.
  const places = Math.min(decimalPlaces(currency), 3)
  return amount >= 0n && amount <= 10n ** BigInt(places) && posted.amount > amount
}

/**
 * Returns the pending transactions that no posted row has joined, including those that the provider
 * has removed. Leaves out those that a user deleted after the link became manual.
 */
export function listUnposted(synced: Iterable<SyncedTransaction>): SyncedTransaction[] {
  return [...synced].filter(({ transaction, records }) => {
    const { isPending, adjustedByDeletion } = transaction
    return (
      isPending &&
      adjustedByDeletion === null &&
      records.length > 0 &&
      records.every((one) => one.isPending)
    )
  })
}

/** Returns the live posted record of a transaction that never was pending; null without one. */
export function unjoinedRecord({ records }: SyncedTransaction): ProviderRecord | null {
  const live = liveRecord({ records })
  const isAlone = records.every(({ isPending }) => !isPending)
  const isNew = live?.matchReason === 'new' && live.pendingProviderTransactionId === null
  return isAlone && isNew ? live : null
}

/** Returns the posted rows that are stored as transactions of their own. */
export function listPostedAlone(synced: Iterable<SyncedTransaction>): PostedRow[] {
  return [...synced].flatMap((one) => {
    const stated = unjoinedRecord(one)
    return stated ? [{ stated, synced: one }] : []
  })
}

/**
 * Returns the pending transaction of each posted row with a tip. Only unambiguous pairs: the row
 * fits no other pending transaction, and no other row fits this one.
 */
export function pairTips(
  postedRows: readonly PostedRow[],
  unposted: readonly SyncedTransaction[],
): Map<Stated, SyncedTransaction> {
  const edges = unposted.flatMap((pending) =>
    postedRows
      .filter((posted) => isTip(pending, posted))
      .map(({ stated }) => ({ pending, stated })),
  )
  const byPending = Map.groupBy(edges, ({ pending }) => pending)
  const byPosting = Map.groupBy(edges, ({ stated }) => stated)
  const isOnly = ({ pending, stated }: (typeof edges)[number]) =>
    byPending.get(pending)?.length === 1 && byPosting.get(stated)?.length === 1
  return new Map(edges.filter(isOnly).map(({ pending, stated }) => [stated, pending]))
}

function isTip(pending: SyncedTransaction, { stated, synced }: PostedRow): boolean {
  return !isRejected(pending, synced) && isTipOf(statedOf(pending), stated)
}

/** Returns whether the user has said that a posted row is another purchase. */
function isRejected({ transaction }: SyncedTransaction, posted: SyncedTransaction | null) {
  const { transactionId } = transaction
  return posted?.records.some((one) => one.rejectedIds?.includes(transactionId)) === true
}

function statedOf(pending: SyncedTransaction): Stated {
  const last = lastRecord(pending)
  if (last === null) throw new Error('a synced transaction has a record')
  return last
}

const scoreMin = 0.25
const suggestionsMax = 3

/**
 * Returns at most three pending transactions that may be the posted one, the likeliest first.
 * Leaves out removed ones that the user has not edited, because they have nothing to carry over.
 */
export function suggestPending(
  posted: SyncedTransaction,
  pendings: readonly SyncedTransaction[],
): { transactionId: string; score: number }[] {
  const scored = pendings.flatMap((pending) => {
    const score = scorePending(pending, posted)
    const isUseful = liveRecord(pending) !== null || hasEdits(pending)
    return score === null || !isUseful
      ? []
      : [{ transactionId: pending.transaction.transactionId, score }]
  })
  return scored
    .sort((a, b) => b.score - a.score || (a.transactionId < b.transactionId ? -1 : 1))
    .slice(0, suggestionsMax)
}

/**
 * Returns how likely a posted transaction is a pending one, 0 to 1, rounded to hundredths; null if
 * it is too unlikely, or the user has rejected it (docs/syncs.md#suggestions).
 */
export function scorePending(pending: SyncedTransaction, posted: SyncedTransaction): number | null {
  const [before, after] = [statedOf(pending), unjoinedRecord(posted)]
  if (!after || isRejected(pending, posted) || !isPostingDay(before, after)) return null
  const isListed = liveRecord(pending) !== null
  const days = 1 - Math.abs(daysAfter(before, after)) / (2 * postingDaysMax)
  const score =
    scoreTexts(before, after) * scoreAmounts(before, after) * days * (isListed ? 0.8 : 1)
  return score < scoreMin ? null : Math.round(score * 100) / 100
}

function scoreTexts(pending: Stated, posted: Stated): number {
  if (haveSameText(pending, posted)) return 1
  if (haveAlikeTexts(pending, posted)) return 0.8
  return pending.amount === posted.amount ? 0.5 : 0
}

function scoreAmounts(pending: Stated, posted: Stated): number {
  if (pending.amount === posted.amount || isHoldOf(pending, posted)) return 1
  const isMore = isLarger(pending, posted)
  if (isMore && isWithin(pending, posted, [10n, 13n])) return 1
  const [less, more] = isMore ? [pending, posted] : [posted, pending]
  return isWithin(less, more, [1n, 2n]) && less.amount * more.amount > 0n ? 0.6 : 0
}
