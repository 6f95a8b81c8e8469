import { create } from '@bufbuild/protobuf'
import { entityOf } from '@coffer/kit/database/rows'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  HistoryEntrySchema,
  type HistoryService,
  HistoryTransactionSchema,
  HistoryTransferSchema,
  HistoryUploadSchema,
} from '@coffer/proto/ledger/v1/history'
import type { ServiceImpl } from '@connectrpc/connect'
import { Transaction } from '../book/transaction.ts'
import { findEntryId, type HistoryRow, listHistory } from './history.sql.ts'

const newest = 2n ** 63n - 1n

type Deps = Pick<ServiceDeps, 'database'>

/** Returns the RPC handlers that list the journal (docs/money.md#the-journal). */
export function historyRoutes({ database }: Deps): ServiceImpl<typeof HistoryService> {
  return {
    listHistory: async ({ bankAccountId, spendingId = null, before, limit }, context) => {
      const { accountId } = callerOf(context)
      const entryId = before && (await findEntryId(database, { accountId, bankAccountId }, before))
      // Reads one row more than the limit: if it exists, there is a next page.
      const page = { bankAccountId, spendingId, before: entryId ?? newest, limit: limit + 1 }
      const rows = await listHistory(database, accountId, page)
      if (!rows) throw notFound(spendingId ? 'spending' : 'bank account')
      if (entryId === null) throw invalid({ after: say('CURSOR') })
      return { entries: rows.slice(0, limit).map(renderEntry), hasMore: rows.length > limit }
    },
  }
}

function renderEntry(row: HistoryRow) {
  const { transactionUploadId, fileName } = row
  const transaction = row.transaction && entityOf(Transaction, row.transaction)
  const transfer = findTransfer(row)
  return toMessage(HistoryEntrySchema, {
    ...row,
    transaction: transaction && toMessage(HistoryTransactionSchema, withShownName(transaction)),
    transfer: transfer && toMessage(HistoryTransferSchema, transfer),
    occurrence: findOccurrence(row),
    upload:
      transactionUploadId === null
        ? null
        : create(HistoryUploadSchema, { transactionUploadId, fileName: fileName ?? '' }),
  })
}

function withShownName(transaction: Transaction) {
  return { ...transaction, name: transaction.name ?? transaction.originalName }
}

/**
 * Returns the date of a funding, or the due date of a period; null for other causes. Releases
 * before 0.4 stored the due date in the operation ID alone (`<spendingId>/<due date>`).
 */
function findOccurrence({ cause, date, operationId }: HistoryRow): Date | null {
  if (cause === 'funding' || cause === 'period-skipped') return date
  if (cause !== 'period-closed') return null
  return date ?? new Date(operationId.slice(operationId.indexOf('/') + 1))
}

/** Returns the envelopes between which a transfer moved money; null for a row of another cause. */
function findTransfer({ cause, delta, spendingId, otherSpendingId }: HistoryRow) {
  if (cause !== 'transfer') return null
  return delta < 0n
    ? { fromSpendingId: spendingId, toSpendingId: otherSpendingId }
    : { fromSpendingId: otherSpendingId, toSpendingId: spendingId }
}
