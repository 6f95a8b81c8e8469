import type { Readable } from 'node:stream'
import { invalid } from '@coffer/kit/rpc/errors'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { TransactionSchema, TransactionService } from '@coffer/proto/ledger/v1/transaction'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { transactionCsv } from '../../compose/transaction-csv.ts'
import type { createTransactionLists } from '../../compose/transaction-page.ts'
import type { RouteDeps } from '../../deps.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { createFileStreams } from '../../http/file-stream.ts'
import { prefersToJson } from '../../http/negotiation.ts'
import { pageText } from '../../http/queries/cursor.ts'
import { accountTransactionPage } from '../../http/queries/transaction-query.ts'
import { type Call, type Route, route } from '../../http/route.ts'

const csvType = 'text/csv'

/** Maximum number of CSV files that a process streams at the same time (docs/limits.md). */
const filesMax = 4

/** Number of transactions per page that is read for a CSV file. */
const csvPageSize = 500

/** Paging parameters, refused for a CSV file, which always has all rows. */
const pagingKeys = ['limit', 'after', 'offset', 'fields']

type ListCall = Call<{ bankAccountId: string }, z.output<typeof accountTransactionPage>>

/** Returns the route that lists a bank account's transactions, as JSON or as a CSV file. */
export function transactionListRoute(
  deps: RouteDeps,
  lists: ReturnType<typeof createTransactionLists>,
): Route {
  const sendFile = createTransactionFile(deps)
  return route({
    id: 'listTransactions',
    tag: 'Transactions',
    method: 'GET',
    path: '/api/bank_accounts/:bankAccountId/transactions',
    summary: 'Transactions of a bank account, newest first; also as text/csv',
    description:
      `Filters may be combined, but not with offset. ${pageText} Answers a file with all rows ` +
      'that pass the filters if Accept prefers text/csv: it takes no limit, after, offset or ' +
      'fields, but decimalMark (docs/transactions.md#csv).',
    since: '0.1.0',
    auth: 'key',
    query: accountTransactionPage,
    isFiltered: true,
    isPaged: true,
    versionOf: lists.versionOf,
    headers: ['Content-Disposition'],
    answer: { list: TransactionSchema },
    alternative: csvType,
    handler: (call) => {
      if (prefersToJson(call.request, csvType)) return sendFile(call)
      const { spendingId, decimalMark: _, ...page } = call.query
      return lists.page({ ...call.params, ...valuesOf(page), ...envelopeOf(spendingId) }, call)
    },
  })
}

/**
 * Returns the filter by envelope: its ID, or `free` or `undecided` for transactions without one.
 */
export function envelopeOf(spendingId: string | undefined) {
  if (spendingId === 'free') return { free: true }
  return spendingId === 'undecided' ? { free: true, undecided: true } : valuesOf({ spendingId })
}

/** Returns the handler that streams a list as CSV (docs/transactions.md#csv). */
function createTransactionFile({ mesh, exportIdleTimeoutMs }: RouteDeps) {
  const ledger = mesh.client('ledger', TransactionService)
  const accounts = mesh.client('ledger', BankAccountService)
  const spending = mesh.client('budgeting', SpendingService)
  const streams = createFileStreams({ max: filesMax, idleTimeoutMs: exportIdleTimeoutMs })
  return async (call: ListCall): Promise<Readable | FastifyReply> => {
    const { params, options, renewOptions, request, reply, timezone } = call
    const sent = pagingKeys.filter((key) => Object.hasOwn(request.query as object, key))
    const problem = 'does not go with text/csv, which has all rows'
    if (sent.length > 0) throw invalid(Object.fromEntries(sent.map((key) => [key, problem])))
    const [{ bankAccount }, plans] = await Promise.all([
      accounts.getBankAccount(params, options),
      spending.listSpending(params, options),
    ])
    const { spendingId, decimalMark, ...filters } = call.query
    const { amount_from: amountFrom, amount_to: amountTo, ...same } = filters
    const wanted = {
      ...params,
      ...valuesOf({ ...same, amountFrom, amountTo }),
      ...envelopeOf(spendingId),
      limit: csvPageSize,
    }
    const first = await ledger.listTransactions(wanted, options)
    const text = transactionCsv(
      first,
      async (after) => ledger.listTransactions({ ...wanted, after }, await renewOptions()),
      {
        currency: bankAccount?.currency ?? '',
        decimalMark: decimalMark === ',' ? ',' : '.',
        timezone,
        envelopes: new Map(plans.spending.map(({ spendingId, name }) => [spendingId, name])),
      },
    )
    reply.header('content-type', `${csvType}; charset=utf-8; header=present`)
    return streams.start(text, { request, reply, fileName: 'coffer-transactions.csv' })
  }
}
