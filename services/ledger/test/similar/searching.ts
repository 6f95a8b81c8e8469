import type { Database } from '@coffer/kit/database/database'
import {
  searchCosts,
  searchTransactions,
} from '../../src/transactions/transaction-search.service.ts'
import { rangeOf } from '../../src/transactions/transaction-search.ts'

/**
 * Searches transactions by every combination of filters, with bounds so low that each strategy of
 * the search is used.
 */
export async function searchInEveryWay(
  database: Database,
  { accountId, ...ids }: Record<'accountId' | 'bankAccountId' | 'spendingId', string>,
): Promise<void> {
  const costs = { ...searchCosts, examinedFirst: 1, examined: 1, foundMax: 0 }
  const range = rangeOf({ from: '2026-01-01', to: '2026-12-31', after: null }, 'UTC')
  for (const [spendingId, bankAccountId] of [
    [null, null],
    [null, ids.bankAccountId],
    [ids.spendingId, ids.bankAccountId],
  ] as const) {
    for (const isPending of [null, true, false]) {
      for (const [isFree, text] of [[true, 'bill'] as const, [false, null] as const]) {
        for (const isDeleted of [false, true]) {
          const values = isFree
            ? { amount: 1n, amountFrom: 1n, amountTo: 100n, source: 'manual', tag: 'tea' }
            : { amount: null, amountFrom: null, amountTo: null, source: null, tag: null }
          const filter = {
            bankAccountId,
            spendingId,
            isDeleted,
            isPending,
            isFree,
            isUndecided: isFree,
            text,
            ...values,
          }
          const page = { ...filter, ...range, limit: 25 }
          await searchTransactions(database, accountId, page, costs)
        }
      }
    }
  }
}
