import type { Database } from '@coffer/kit/database/database'
import type { Transaction } from '../book/transaction.ts'
import { type Listed, listTransactions } from './transaction.sql.ts'
import { endOfScan, findByText, scan } from './transaction-search.sql.ts'
import { isIndexed, type TransactionCursor, type TransactionSearch } from './transaction-search.ts'

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

/**
 * Returns a page of live transactions by offset, newest first; null if the bank account or the open
 * envelope `spendingId` does not exist.
 */
export async function listNewest(
  database: Database,
  accountId: string,
  wanted: { bankAccountId: string; spendingId: string | null; limit: number; offset: number },
): Promise<Page | null> {
  const listed = await listTransactions(database, accountId, wanted)
  return listed && { ...listed, next: nextOf(listed.transactions, wanted.limit) }
}

/**
 * Returns the newest matches (docs/transactions.md#search) of a bank account, an open envelope or
 * all bank accounts; null if the bank account or the open envelope does not exist. Scans by date
 * find frequent matches, the trigram index rare ones. A page may have fewer matches than `limit`
 * and still a `next` cursor.
 */
export async function searchTransactions(
  database: Database,
  accountId: string,
  search: TransactionSearch,
  costs = searchCosts,
): Promise<Page | null> {
  const { limit, text, isDeleted } = search
  // The trigram index has live transactions only, so a search for deleted ones only scans.
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
    // The oldest version: if the list changes between two statements, its ETag changes later.
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
