import type { ListHistoryResponses } from '@coffer/client/types'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Transaction } from './budget-queries.ts'
import { coffer } from './client.ts'

/** One change of a sum, from the journal. */
export type HistoryEntry = ListHistoryResponses[200]['entries'][number]

/**
 * A change of a sum. The journal records the changes of pots, such as the available balance and the
 * money of each envelope. Free-to-use money is no pot: it is derived from them.
 */
export type SumChange = Omit<HistoryEntry, 'pot'> & { pot: HistoryEntry['pot'] | 'free' }

/** Number of entries that are shown below the explanation of a sum. */
export const lastMax = 6

/** Number of journal entries that each "more" shows. */
export const journalStep = 25

/** Number of entries on a page of the journal: the maximum of the API. */
export const newestMax = 100

/** The journal of a bank account, or of one of its envelopes, as an infinite query. */
export function journalQuery(bankAccountId: string, spendingId?: string) {
  return infiniteQueryOptions({
    queryKey: ['history', bankAccountId, 'pages', spendingId],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: newestMax, ...(pageParam === '' ? {} : { after: pageParam }) }
      const path = { bankAccountId }
      const answer =
        spendingId === undefined
          ? coffer.listHistory({ path, query, signal })
          : coffer.listSpendingHistory({ path: { ...path, spendingId }, query, signal })
      return (await answer).data
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}

/** The newest entries of the journal of a bank account. */
export function newestHistoryQuery(bankAccountId: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['history', bankAccountId],
    queryFn: async ({ signal }) =>
      (await coffer.listHistory({ path, query: { limit: newestMax }, signal })).data.entries,
  })
}

/** The newest entries of the journal of an envelope. */
export function spendingHistoryQuery(bankAccountId: string, spendingId: string) {
  const path = { bankAccountId, spendingId }
  return queryOptions({
    queryKey: ['history', bankAccountId, 'newest', spendingId],
    queryFn: async ({ signal }) =>
      (await coffer.listSpendingHistory({ path, query: { limit: journalStep }, signal })).data
        .entries,
  })
}

/** Removes entries without a change, such as of an import that states the stored balance again. */
export function changesOf(entries: readonly HistoryEntry[]): HistoryEntry[] {
  return entries.filter(({ delta }) => delta !== 0)
}

/**
 * Journal entries of one transaction, among the newest of its bank account. `isWhole` is false if
 * older entries may exist.
 */
export function transactionHistoryQuery(transaction: Transaction) {
  return queryOptions({
    ...newestHistoryQuery(transaction.bankAccountId),
    select: (entries: HistoryEntry[]) => ({
      own: entriesOf(entries, transaction.transactionId),
      isWhole: !isBefore(transaction, entries),
    }),
  })
}

/** Returns whether a transaction is older than all of the newest entries. */
function isBefore({ createdAt }: Transaction, entries: HistoryEntry[]): boolean {
  const oldest = entries.length < newestMax ? undefined : entries.at(-1)
  return oldest !== undefined && createdAt < oldest.createdAt
}

/** Whether the balance includes a transaction, as far as the newest journal entries show it. */
export function heldByBalanceQuery(transaction: Transaction) {
  return queryOptions({
    ...newestHistoryQuery(transaction.bankAccountId),
    select: (entries: HistoryEntry[]) => ({
      hasMoved: hasMovedBalance(entries, transaction),
      isStatedSince: isStatedSince(entries, transaction),
    }),
  })
}

/**
 * Returns whether a transaction has changed the available balance. A manual transaction that is
 * older than all `entries` counts as included: by default, a new one changes the balance.
 */
function hasMovedBalance(entries: HistoryEntry[], transaction: Transaction): boolean {
  const own = entriesOf(entries, transaction.transactionId).filter(({ pot }) => pot === 'available')
  if (own.length > 0) return own.reduce((sum, { delta }) => sum + delta, 0) !== 0
  return transaction.source === 'manual' && isBefore(transaction, entries)
}

/** Returns whether an import or the user has set the balance after a transaction was stored. */
function isStatedSince(entries: HistoryEntry[], { createdAt }: Transaction): boolean {
  return entries.some(
    ({ cause, createdAt: at }) => /^(upload|manual-edit)$/.test(cause) && at > createdAt,
  )
}

function entriesOf(entries: HistoryEntry[], transactionId: string): HistoryEntry[] {
  return entries.filter((one) => one.transaction?.transactionId === transactionId)
}
