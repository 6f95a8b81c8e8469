import { localDay } from '@coffer/kit/values/day'
import type { ProviderRecord } from '../book/provider-record.ts'
import { liveRecord } from '../records/transaction-records.ts'
import {
  isUnlisted,
  type Listed,
  type ProviderRow,
  type SyncedTransaction,
} from './provider-transaction.ts'
import { isEdited } from './sync-join.ts'
import { textsOf } from './sync-match.ts'
import type { SyncedIndex } from './synced-transactions.ts'

type Unlisted = { live: ProviderRecord; synced: SyncedTransaction; isEdited: boolean }

/**
 * Pairs rows of unknown IDs with transactions whose own IDs the provider no longer lists
 * (docs/syncs.md#renewed-ids). Returns transaction IDs by the new IDs of the rows. Precedence:
 * equal texts before texts with equal letters only; transactions that the user has edited before
 * others.
 */
export function pairRenewed(
  rows: readonly ProviderRow[],
  syncedIndex: SyncedIndex,
  listed: Listed,
): Map<string, string> {
  const pairs = new Map<string, string>()
  const unlisted = Map.groupBy(listUnlisted(syncedIndex, listed), ({ live }) => keyOf(live, listed))
  if (unlisted.size === 0) return pairs
  const unknown = rows
    .filter(({ providerTransactionId: id }) => !syncedIndex.byProviderId.has(id))
    .toSorted((a, b) => (a.providerTransactionId < b.providerTransactionId ? -1 : 1))
  for (const areSame of [haveEqualTexts, haveEqualLetters]) {
    for (const row of unknown.filter((one) => !pairs.has(one.providerTransactionId))) {
      const equal = unlisted.get(keyOf(row, listed)) ?? []
      const at = equal.findIndex(({ live }) => areSame(row, live))
      const [found] = at === -1 ? [] : equal.splice(at, 1)
      if (found) pairs.set(row.providerTransactionId, found.live.transactionId)
    }
  }
  return pairs
}

/** Returns unlisted transactions: those that the user has edited first, then by ID. */
function listUnlisted({ byTransaction }: SyncedIndex, listed: Listed): Unlisted[] {
  const unlisted = [...byTransaction.values()].flatMap((synced) => {
    const live = liveRecord(synced)
    if (live === null || !isUnlisted(listed, live) || isListedOtherwise(listed, synced, live)) {
      return []
    }
    return [{ live, synced, isEdited: isEdited(synced, live) }]
  })
  return unlisted.sort(
    (a, b) =>
      Number(b.isEdited) - Number(a.isEdited) ||
      (a.live.transactionId < b.live.transactionId ? -1 : 1),
  )
}

/**
 * Returns whether the call lists a former ID of the transaction, which then becomes the current
 * one.
 */
function isListedOtherwise(
  { ids }: Listed,
  { records }: SyncedTransaction,
  live: ProviderRecord,
): boolean {
  return records.some(({ providerTransactionId, isPending }) => {
    return isPending === live.isPending && ids.has(providerTransactionId)
  })
}

type Keyed = Pick<ProviderRecord, 'date' | 'amount' | 'isPending' | 'providerAccountId'>

function keyOf(
  { date, amount, isPending, providerAccountId }: Keyed,
  { timezone }: Listed,
): string {
  const day = localDay(date.getTime(), timezone)
  return JSON.stringify([day, String(amount), isPending, providerAccountId])
}

type Named = Pick<ProviderRecord, 'name' | 'merchantName'>

function haveEqualTexts(one: Named, other: Named): boolean {
  return one.name === other.name && one.merchantName === other.merchantName
}

function haveEqualLetters(one: Named, other: Named): boolean {
  return textsOf(one).some((text) => textsOf(other).includes(text))
}
