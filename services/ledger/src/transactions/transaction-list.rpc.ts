import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type ListTransactionsRequest,
  TransactionPlaceSchema,
  type TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { renderTransaction } from '../records/transaction-records.ts'
import { findOwner } from './transaction.sql.ts'
import { readSearch } from './transaction-request.ts'
import { listNewest, searchTransactions } from './transaction-search.service.ts'

type Deps = Pick<ServiceDeps, 'database'>

/** Returns the RPC handler that lists and searches transactions (docs/transactions.md#search). */
export function transactionListRoutes(
  deps: Deps,
): Pick<ServiceImpl<typeof TransactionService>, 'listTransactions'> {
  return { listTransactions: (request, context) => listPage(deps, request, context) }
}

/**
 * Returns a page of transactions, newest first: a plain list of a bank account by offset, a search
 * and the list of all bank accounts by cursor.
 */
async function listPage(
  { database }: Deps,
  request: ListTransactionsRequest,
  context: HandlerContext,
) {
  const { accountId, timezone } = callerOf(context)
  const { spendingId = null, limit, offset } = request
  const isOfEnvelope = request.bankAccountId === '' && spendingId !== null
  const bankAccountId = isOfEnvelope
    ? await findOwner(database, accountId, spendingId)
    : request.bankAccountId || null
  if (isOfEnvelope && bankAccountId === null) throw notFound('spending')
  const page =
    bankAccountId !== null && isPlain(request)
      ? await listNewest(database, accountId, { bankAccountId, spendingId, limit, offset })
      : await searchTransactions(database, accountId, readSearch(request, bankAccountId, timezone))
  if (!page) throw notFound(spendingId ? 'spending' : 'bank account')
  const { transactions, next, version } = page
  return {
    transactions: transactions.map((one) => renderTransaction(one)),
    ...(next ? { next: toMessage(TransactionPlaceSchema, next) } : {}),
    version,
  }
}

function isPlain(request: ListTransactionsRequest): boolean {
  const { free, deleted, pending, search, from, to, after } = request
  const { amount, amountFrom, amountTo, source, tag } = request
  const filters = [pending, search, from, to, after, amount, amountFrom, amountTo, source, tag]
  return !free && !deleted && filters.every((filter) => filter === undefined)
}
