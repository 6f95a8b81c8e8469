import { timestampDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type ListTransactionsRequest,
  TransactionPlaceSchema,
  TransactionSchema,
} from '@coffer/proto/ledger/v1/transaction'
import type { HandlerContext } from '@connectrpc/connect'
import { type Listed, listTransactions } from './transaction.sql.ts'
import type { Transaction } from '../book/transaction.ts'
import { endOfScan, findByText, scan } from './transaction-search.sql.ts'
import {
  isIndexed,
  rangeOf,
  type TransactionCursor,
  type TransactionSearch,
} from './transaction-search.ts'

type Deps = Pick<ServiceDeps, 'database'>
type Page = Listed & { next: TransactionCursor | null }

/** Bounds on the cost of one search (docs/transactions.md#search). */
export const searchCosts = {
  /** Transactions that the first scan examines, before the trigram index is used. */
  examinedFirst: 2_000,
  /** Transactions that a scan examines if the trigram index is not usable. */
  examined: 20_000,
  /** Matches that the trigram index may return; if it has more, its result is discarded. */
  foundMax: 5_000,
  /** Timeout of the query that uses the trigram index. */
  withinMs: 500,
}

/** Returns a page of transactions, newest first: a plain list by offset, a search by cursor. */
export async function listPage(
  { database }: Deps,
  request: ListTransactionsRequest,
  context: HandlerContext,
) {
  const { accountId, timezone } = callerOf(context)
  const page = isPlain(request)
    ? await plainPage(database, accountId, request)
    : await searchTransactions(database, accountId, searchOf(request, timezone))
  if (!page) throw notFound(request.spendingId ? 'spending' : 'bank account')
  const { transactions, next, version } = page
  return {
    transactions: transactions.map((one) => toMessage(TransactionSchema, one)),
    ...(next ? { next: toMessage(TransactionPlaceSchema, next) } : {}),
    version,
  }
}

function isPlain(request: ListTransactionsRequest): boolean {
  const { free, deleted, pending, search, from, to, after, amountFrom, amountTo, source } = request
  const filters = [pending, search, from, to, after, amountFrom, amountTo, source]
  return !free && !deleted && filters.every((filter) => filter === undefined)
}

async function plainPage(
  database: Deps['database'],
  accountId: string,
  request: ListTransactionsRequest,
): Promise<Page | null> {
  const { bankAccountId, spendingId = null, limit, offset } = request
  const wanted = { bankAccountId, spendingId, limit, offset }
  const listed = await listTransactions(database, accountId, wanted)
  return listed && { ...listed, next: nextOf(listed.transactions, limit) }
}

function searchOf(request: ListTransactionsRequest, timezone: string): TransactionSearch {
  const { bankAccountId, spendingId, free, pending, search, from, to, after, limit } = request
  const { deleted: isDeleted, amountFrom = null, amountTo = null, source = null } = request
  const date = after?.date && timestampDate(after.date)
  const cursor = after && date ? { date, transactionId: after.transactionId } : null
  return {
    bankAccountId,
    spendingId: spendingId ?? null,
    limit,
    isDeleted,
    isFree: free,
    isPending: pending ?? null,
    text: search ?? null,
    amountFrom,
    amountTo,
    source,
    ...rangeOf({ from: from ?? null, to: to ?? null, after: cursor }, timezone),
  }
}

/**
 * Returns the newest matches (docs/transactions.md#search); null if the bank account or the open
 * envelope does not exist. Scans by date find frequent matches, the trigram index rare ones. A page
 * may have fewer matches than `limit` and still a `next` cursor.
 */
export async function searchTransactions(
  database: Deps['database'],
  accountId: string,
  search: TransactionSearch,
  costs = searchCosts,
): Promise<Page | null> {
  const { limit, text, isDeleted } = search
  // The trigram index has live transactions only.
  const scans =
    isIndexed(text) && !isDeleted ? [costs.examinedFirst, costs.examined] : [costs.examined]
  let page: Page = { transactions: [], next: null, version: 0n }
  for (const [index, examined] of scans.entries()) {
    const found = index === 0 ? null : await findByText(database, accountId, { search, ...costs })
    if (found) {
      const { transactions } = found
      const next = found.found > limit ? nextOf(transactions, limit) : null
      return { transactions, next, version: page.version }
    }
    const listed = await scan(database, accountId, { search, examined })
    if (!listed) return null
    const { transactions } = listed
    // The oldest version: a change between two statements then changes the tag of the list.
    const version = index === 0 ? listed.version : page.version
    const next = nextOf(transactions, limit)
    if (next) return { transactions, next, version }
    const end = await endOfScan(database, accountId, { search, examined })
    page = { transactions, next: end, version }
    if (page.next === null) break
  }
  return page
}

function nextOf(transactions: readonly Transaction[], limit: number): TransactionCursor | null {
  const last = transactions[limit - 1]
  return last ? { date: last.date, transactionId: last.transactionId } : null
}
