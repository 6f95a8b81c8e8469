import type { Transaction } from '@coffer/client/types'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { coffer } from '../client.ts'
import { queries } from '../query-client.ts'
import { type Filters, filterQuery } from '../transaction-queries.ts'
import { type Page, type Range, renewPages } from './renewed-pages.ts'

type TransactionPage = Page<Transaction>

const pageSize = 100
/** Number of pages around those in view that are refetched with them. */
const margin = 1

/** The pages in view of each shown list, by its key. */
const inView = new Map<string, Range>()

/** The transactions that match the filters, newest first; one page more per request. */
export function transactionPagesQuery(bankAccountId: string, filters: Filters) {
  const queryKey = keyOf(bankAccountId, filters)
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<TransactionPage[]>(queryKey) ?? []
      const { from, to } = inView.get(JSON.stringify(queryKey)) ?? { from: 0, to: 0 }
      const seen = { from: from - margin, to: to + margin }
      return renewPages(known, seen, (after) => readPage(bankAccountId, filters, { after, signal }))
    },
    // The change feed invalidates the list. Without the feed, it is refetched when it is opened
    // again.
    refetchInterval: false,
  })
}

/** Returns the loaded pages of a shown list, and the callbacks for its scrolling. */
export function useTransactionPages(bankAccountId: string, filters: Filters) {
  const queryKey = keyOf(bankAccountId, filters)
  const {
    data: pages,
    error,
    refetch,
    isFetching,
  } = useQuery(transactionPagesQuery(bankAccountId, filters))
  const further = useMutation({
    mutationFn: async (last: TransactionPage) => {
      const page = await readPage(bankAccountId, filters, { after: last.next ?? '' })
      queries.setQueryData<TransactionPage[]>(queryKey, (now = []) =>
        now.at(-1) === last ? [...now, page] : now,
      )
    },
  })
  const last = pages?.at(-1)
  const isReading = isFetching || further.isPending
  return {
    pages,
    error,
    again: () => void refetch(),
    isReading,
    hasMore: typeof last?.next === 'string',
    /** The error of the last request for a further page. */
    moreError: further.error,
    /** Loads the next page; ignored while one is loading. */
    more: () => {
      if (last && last.next !== null && !isReading) further.mutate(last)
    },
    /** Notes which pages are in view, and refetches the stale ones. */
    see: (range: Range) => {
      inView.set(JSON.stringify(queryKey), range)
      const isOld = pages?.slice(range.from, range.to + 1).some((page) => page.isOld)
      if (isOld && !isReading) void refetch()
    },
    leave: () => void inView.delete(JSON.stringify(queryKey)),
  }
}

function keyOf(bankAccountId: string, filters: Filters) {
  return ['transactions', bankAccountId, { ...filterQuery(filters), limit: pageSize }] as const
}

async function readPage(
  bankAccountId: string,
  filters: Filters,
  { after, signal }: { after: string; signal?: AbortSignal },
): Promise<TransactionPage> {
  const query = { ...filterQuery(filters), limit: pageSize, ...(after ? { after } : {}) }
  const options = { path: { bankAccountId }, query, ...(signal ? { signal } : {}) }
  const { data, response } = await coffer.listTransactions(options)
  return { items: data, next: nextCursor(response) }
}

/** Returns the cursor of the next page from the header `Link` (RFC 8288). */
function nextCursor({ headers }: Response): string | null {
  const [, url] = /<([^>]*)>;[^,]*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  return url === undefined ? null : new URL(url, location.href).searchParams.get('after')
}
