import type { Transaction } from '@coffer/client/types'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

/** Filters of the list, as in the URL. Days are `2026-11-20`, in the account's timezone. */
export interface Filters {
  search?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** An envelope; `free` for none. */
  spendingId?: string | undefined
  source?: Transaction['source'] | undefined
  tag?: string | undefined
  /** `out`: only payments; `in`: only deposits. */
  flow?: 'out' | 'in' | undefined
  pending?: boolean | undefined
  /** Only those that are deleted. */
  deleted?: boolean | undefined
}

const pageSize = 100

/** Returns the query of the API for filters: the sign of an amount is its direction. */
export function filterQuery({ flow, ...filters }: Filters) {
  const bounds = { out: { amount_from: 1 }, in: { amount_to: -1 } }
  return { ...filters, ...(flow ? bounds[flow] : {}) }
}

/** The transactions that fit, newest first, page by page. */
export function transactionsQuery(bankAccountId: string, filters: Filters) {
  const query = { ...filterQuery(filters), limit: pageSize }
  return infiniteQueryOptions({
    queryKey: ['transactions', bankAccountId, query],
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === '' ? {} : { after: pageParam }
      const path = { bankAccountId }
      const answer = await coffer.listTransactions({ path, query: { ...query, ...after }, signal })
      return { items: answer.data, next: nextCursor(answer.response) }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // All loaded pages would be asked for again.
    refetchInterval: false,
  })
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

/** Returns the cursor of the next page from the header `Link` (RFC 8288). */
function nextCursor({ headers }: Response): string | null {
  const [, url] = /<([^>]*)>;[^,]*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  return url === undefined ? null : new URL(url, location.href).searchParams.get('after')
}
