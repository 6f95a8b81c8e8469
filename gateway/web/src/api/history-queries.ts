import type { ListHistoryResponses } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import type { Transaction } from './budget-queries.ts'
import { coffer } from './client.ts'

/** One change of a sum, from the journal. */
export type HistoryEntry = ListHistoryResponses[200]['entries'][number]

const query = { limit: 25 }

/** Number of entries that are shown beside the explanation of the sums. */
const lastMax = 6

/** Maximum number of entries on a page. */
const newestMax = 100

/** The newest changes of what an envelope holds. */
export function spendingHistoryQuery(bankAccountId: string, spendingId: string) {
  const path = { bankAccountId, spendingId }
  return queryOptions({
    queryKey: ['history', bankAccountId, spendingId],
    queryFn: async ({ signal }) =>
      (await coffer.listSpendingHistory({ path, query, signal })).data.entries,
  })
}

/** The newest changes of the sums of a bank account. */
function newestHistoryQuery(bankAccountId: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['history', bankAccountId],
    queryFn: async ({ signal }) =>
      (await coffer.listHistory({ path, query: { limit: newestMax }, signal })).data.entries,
  })
}

/** The last few changes of the sums of a bank account. */
export function lastHistoryQuery(bankAccountId: string) {
  return queryOptions({
    ...newestHistoryQuery(bankAccountId),
    select: (entries: HistoryEntry[]) => entries.slice(0, lastMax),
  })
}

/** The changes by one transaction among the newest of the bank account. */
export function transactionHistoryQuery(bankAccountId: string, transactionId: string) {
  return queryOptions({
    ...newestHistoryQuery(bankAccountId),
    select: (entries: HistoryEntry[]) => entriesOf(entries, transactionId),
  })
}

/** Whether a transaction has moved the balance, as far as the newest changes tell. */
export function movedBalanceQuery(transaction: Transaction) {
  return queryOptions({
    ...newestHistoryQuery(transaction.bankAccountId),
    select: (entries: HistoryEntry[]) => hasMovedBalance(entries, transaction),
  })
}

/**
 * Returns whether the entries say that a transaction has moved the balance. Of one by hand that is
 * older than all of them it is assumed: the form of a new one proposes it.
 */
function hasMovedBalance(
  entries: HistoryEntry[],
  { transactionId, source, createdAt }: Transaction,
): boolean {
  const own = entriesOf(entries, transactionId).filter(({ pot }) => pot === 'available')
  if (own.length > 0) return own.reduce((sum, { delta }) => sum + delta, 0) !== 0
  const oldest = entries.length < newestMax ? undefined : entries.at(-1)
  return source === 'manual' && oldest !== undefined && createdAt < oldest.createdAt
}

function entriesOf(entries: HistoryEntry[], transactionId: string): HistoryEntry[] {
  return entries.filter((one) => one.transaction?.transactionId === transactionId)
}
