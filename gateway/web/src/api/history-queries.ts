import type { ListHistoryResponses } from '@coffer/client/types'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Transaction } from './budget-queries.ts'
import { coffer } from './client.ts'

/** One change of a sum, from the journal. */
export type HistoryEntry = ListHistoryResponses[200]['entries'][number]

/** A change of a sum of the journal, or of free-to-use, which is no pot of it. */
export type SumChange = Omit<HistoryEntry, 'pot'> & { pot: HistoryEntry['pot'] | 'free' }

/** Number of entries that are shown beside the explanation of the sums. */
export const lastMax = 6

/** Number of entries on a page of the journal, and the maximum number of one page. */
const pageSize = 25
export const newestMax = 100

/** The journal of a bank account, or of one envelope: all changes, page by page. */
export function journalQuery(bankAccountId: string, spendingId?: string) {
  return infiniteQueryOptions({
    queryKey: ['history', bankAccountId, 'pages', spendingId],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam === '' ? {} : { after: pageParam }) }
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

/** The newest changes of the sums of a bank account. */
export function newestHistoryQuery(bankAccountId: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['history', bankAccountId],
    queryFn: async ({ signal }) =>
      (await coffer.listHistory({ path, query: { limit: newestMax }, signal })).data.entries,
  })
}

/** Returns the entries without those of no change, such as of a file that states the known sum. */
export function changesOf(entries: readonly HistoryEntry[]): HistoryEntry[] {
  return entries.filter(({ delta }) => delta !== 0)
}

/**
 * The changes by one transaction among the newest of the bank account; `isWhole` is false if it may
 * have others before them.
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

/** Whether the balance holds a transaction, as far as the newest changes tell. */
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
 * Returns whether the entries say that a transaction has moved the balance. Of one by hand that is
 * older than all of them it is assumed: the form of a new one proposes it.
 */
function hasMovedBalance(entries: HistoryEntry[], transaction: Transaction): boolean {
  const own = entriesOf(entries, transaction.transactionId).filter(({ pot }) => pot === 'available')
  if (own.length > 0) return own.reduce((sum, { delta }) => sum + delta, 0) !== 0
  return transaction.source === 'manual' && isBefore(transaction, entries)
}

/** Returns whether a file or a person has stated the balance after a transaction was stored. */
function isStatedSince(entries: HistoryEntry[], { createdAt }: Transaction): boolean {
  return entries.some(
    ({ cause, createdAt: at }) => /^(upload|manual-edit)$/.test(cause) && at > createdAt,
  )
}

function entriesOf(entries: HistoryEntry[], transactionId: string): HistoryEntry[] {
  return entries.filter((one) => one.transaction?.transactionId === transactionId)
}
