import type { Transaction } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

/** Filters of the list, as in the URL. Days are `2026-11-20`, in the account's timezone. */
export interface Filters {
  search?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** ID of an envelope; `free` for transactions without one. */
  spendingId?: string | undefined
  /** In minor units; matches payments and deposits of this amount. */
  amount?: number | undefined
  source?: Transaction['source'] | undefined
  tag?: string | undefined
  /** `out`: payments only; `in`: deposits only. */
  flow?: 'out' | 'in' | undefined
  pending?: boolean | undefined
  /** Deleted transactions only. */
  deleted?: boolean | undefined
}

/**
 * Returns the query parameters of the API for filters. In the API, payments have positive amounts.
 */
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

/** Transactions similar to the given one; null before the server has searched for them. */
export function similarQuery(bankAccountId: string, transactionId: string) {
  const path = { bankAccountId, transactionId }
  return queryOptions({
    queryKey: ['similar', bankAccountId, transactionId],
    queryFn: async ({ signal }) =>
      (await coffer.getSimilarTransactions({ path, signal })).data || null,
  })
}
