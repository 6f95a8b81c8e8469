import type { ListHistoryResponses } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

/** One change of a sum, from the journal. */
export type HistoryEntry = ListHistoryResponses[200]['entries'][number]

const query = { limit: 25 }

/** The newest changes of what an envelope holds. */
export function spendingHistoryQuery(bankAccountId: string, spendingId: string) {
  const path = { bankAccountId, spendingId }
  return queryOptions({
    queryKey: ['history', bankAccountId, spendingId],
    queryFn: async ({ signal }) =>
      (await coffer.listSpendingHistory({ path, query, signal })).data.entries,
  })
}

/** The changes by one transaction among the newest of the bank account. */
export function transactionHistoryQuery(bankAccountId: string, transactionId: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['history', bankAccountId, transactionId],
    queryFn: async ({ signal }) => {
      const newest = await coffer.listHistory({ path, query: { limit: 100 }, signal })
      return newest.data.entries.filter((one) => one.transaction?.transactionId === transactionId)
    },
  })
}
