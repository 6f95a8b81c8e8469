import type { Transaction } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

/** Filters of the list, as in the URL. Days are `2026-11-20`, in the account's timezone. */
export interface Filters {
  search?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** An envelope; `free` for none. */
  spendingId?: string | undefined
  /** In minor units, of either sign. */
  amount?: number | undefined
  source?: Transaction['source'] | undefined
  tag?: string | undefined
  /** `out`: only payments; `in`: only deposits. */
  flow?: 'out' | 'in' | undefined
  pending?: boolean | undefined
  /** Only those that are deleted. */
  deleted?: boolean | undefined
}

/** Returns the query of the API for filters: the sign of an amount is its direction. */
export function filterQuery({ flow, ...filters }: Filters) {
  const bounds = { out: { amount_from: 1 }, in: { amount_to: -1 } }
  return { ...filters, ...(flow ? bounds[flow] : {}) }
}

export function transactionQuery(bankAccountId: string, transactionId: string) {
  const path = { bankAccountId, transactionId }
  return queryOptions({
    queryKey: ['transaction', bankAccountId, transactionId],
    queryFn: async ({ signal }) => (await coffer.getTransaction({ path, signal })).data,
  })
}

/** The transactions that look alike; null before they were looked for. */
export function similarQuery(bankAccountId: string, transactionId: string) {
  const path = { bankAccountId, transactionId }
  return queryOptions({
    queryKey: ['similar', bankAccountId, transactionId],
    queryFn: async ({ signal }) =>
      (await coffer.getSimilarTransactions({ path, signal })).data || null,
  })
}
