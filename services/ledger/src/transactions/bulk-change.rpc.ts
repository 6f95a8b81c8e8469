import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound, settledOrRefused } from '@coffer/kit/rpc/errors'
import { objectTag } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  BulkChangeSchema,
  type BulkChangeService,
  type ChangeTransactionsRequest,
  ChangeTransactionsResponseSchema,
} from '@coffer/proto/ledger/v1/bulk_change'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { Transaction } from '../book/transaction.ts'
import { sumBookings } from '../money/bookings.ts'
import { renderResult } from '../money/settlements.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { renderTransaction } from '../records/transaction-records.ts'
import { findBulkOperation } from './bulk-change.sql.ts'
import {
  type BulkChange,
  type BulkOutcome,
  changedOf,
  changeEach,
  deciderOf,
  hintsOf,
  undoerOf,
} from './bulk-change.ts'
import { listTransactions } from './transaction.sql.ts'
import { batchSizeMax } from './transaction-batch.ts'
import { readCorrection, readPatch, readSearch, renderRefusal } from './transaction-request.ts'
import { searchTransactions } from './transaction-search.service.ts'

type Deps = Pick<ServiceDeps, 'database'> & Pick<MoneyWriter, 'write'>

/** Maximum transactions of a change in a group commit: a larger one would delay other changes. */
const sharedSizeMax = 10
/** Maximum number of search pages that a filter reads; each examines up to 20,000 transactions. */
const pagesMax = 5

/** Returns the RPC handlers that change many transactions, and undo that (docs/money/bulk.md). */
export function bulkChangeRoutes(deps: Deps): ServiceImpl<typeof BulkChangeService> {
  return {
    changeTransactions: (request, context) => {
      const { database } = deps
      const reply = ChangeTransactionsResponseSchema
      return once({ database, context, reply }, async (key) => {
        const { accountId, timezone } = callerOf(context)
        const read = settledOrRefused(() => readChange(request, timezone))
        if ('refusal' in read) {
          // A missing bank account is 404 even if the request is invalid too.
          const of = { bankAccountId: request.bankAccountId, spendingId: null, limit: 1, offset: 0 }
          throw (await listTransactions(database, accountId, of))
            ? read.refusal
            : notFound('bank account')
        }
        const change = read.result
        const ids = await findIds(deps, request, context)
        return changeAll(deps, { change, ids, key, request }, context)
      })
    },
    undoOperation: ({ operationId }, context) => undo(deps, operationId, context),
  }
}

/** Returns the only change of a request; throws invalid for none or several. */
function readChange(request: ChangeTransactionsRequest, timezone: string): BulkChange {
  const { items, filter, set, correct, delete: deletion, restore } = request
  const changes: BulkChange[] = [
    ...(set ? [{ kind: 'set' as const, patch: readPatch(set, timezone) }] : []),
    ...(correct
      ? [{ kind: 'correct' as const, correction: readCorrection(correct, timezone) }]
      : []),
    ...(deletion ? [{ kind: 'delete' as const, adjustsBalance: deletion.adjustsBalance }] : []),
    ...(restore ? [{ kind: 'restore' as const }] : []),
  ]
  const [change] = changes
  if (!change || changes.length > 1) throw invalid({ set: say('CHANGE_ONE') })
  if (items.length > 0 === (filter !== undefined)) {
    throw invalid({ items: say('ITEMS_OR_FILTER') })
  }
  if (items.length > batchSizeMax) throw invalid({ items: say('TOO_MANY', { max: batchSizeMax }) })
  if (new Set(items).size < items.length) throw invalid({ items: say('IDS_REPEATED') })
  return change
}

/**
 * Returns the IDs of the transactions to change; those that a filter selects are newest first.
 * Throws invalid if the filter selects more than a request may change.
 */
async function findIds(
  { database }: Deps,
  { bankAccountId, items, filter }: ChangeTransactionsRequest,
  context: HandlerContext,
): Promise<string[]> {
  if (!filter) return items
  const { accountId, timezone } = callerOf(context)
  let search = readSearch({ ...filter, limit: batchSizeMax + 1 }, bankAccountId, timezone)
  const ids: string[] = []
  for (let pages = 0; pages < pagesMax && ids.length <= batchSizeMax; pages += 1) {
    const page = await searchTransactions(database, accountId, search)
    if (!page) throw notFound(filter.spendingId ? 'spending' : 'bank account')
    ids.push(...page.transactions.map(({ transactionId }) => transactionId))
    if (page.next === null && ids.length <= batchSizeMax) return ids
    if (page.next !== null) search = { ...search, behind: page.next }
  }
  const max = `${batchSizeMax} transactions`
  throw invalid({ filter: say('BULK_FILTER_WIDE', { max }) })
}

interface BulkRequest {
  change: BulkChange
  ids: readonly string[]
  key: Parameters<typeof keptReplies>[0]
  request: ChangeTransactionsRequest
}

function changeAll(
  { write }: Deps,
  { change, ids, key, request }: BulkRequest,
  context: HandlerContext,
) {
  const { accountId, userId: createdBy, timezone } = callerOf(context)
  const { bankAccountId, set, correct } = request
  const items = ids.map((transactionId) => ({ transactionId, operationId: newId('op') }))
  const refundIds = set?.refundSpendingId ? [set.refundSpendingId] : []
  const spendingIds = set?.spendingId ? [set.spendingId, ...refundIds] : refundIds
  const operationId = newId('op')
  return write({
    scope: { ...scopeOf({ accountId, bankAccountId }, ids), spendingIds, refundIds },
    operationId,
    signal: context.signal,
    createdBy,
    ...((set?.date ?? correct?.date) ? { timezone } : {}),
    isAlone: items.length > sharedSizeMax,
    decide: (current) => {
      const { settlement, outcomes } = changeEach(current, items, deciderOf(change))
      const changed = changedOf(outcomes)
      const reply = create(ChangeTransactionsResponseSchema, {
        ...renderResult(settlement),
        results: outcomes.map((one) => renderOutcome(one, hintsOf(change, one))),
        ...(changed.length > 0 ? { operationId } : {}),
      })
      if (changed.length === 0) return { reply }
      const { now: createdAt } = current.operation
      const changes = Buffer.from(encode(change.kind, changed))
      const owner = { accountId, bankAccountId, operationId }
      return {
        settlement,
        transactions: changed.map(({ after }) => after),
        bulkOperation: { ...owner, changes, createdAt, createdBy, undoneAt: null },
        reply,
        replies: keptReplies(key, reply),
      }
    },
  })
}

async function undo({ database, write }: Deps, operationId: string, context: HandlerContext) {
  const { accountId, userId: createdBy } = callerOf(context)
  const stored = await findBulkOperation(database, accountId, operationId)
  if (!stored) throw notFound('operation')
  const { bankAccountId, changes } = stored
  const { kind, rows } = fromBinary(BulkChangeSchema, changes)
  const before = rows.flatMap((row) => row.before ?? [])
  const ids = before.map(({ transactionId }) => transactionId)
  const items = before.map(({ transactionId, refundSpendingId }) => {
    return { transactionId, operationId: newId('op'), isRefund: refundSpendingId !== undefined }
  })
  const refundIds = [...new Set(before.flatMap((one) => one.refundSpendingId ?? []))]
  const paying = before.flatMap(({ spendingId }) => spendingId ?? [])
  const spendingIds = [...new Set([...paying, ...refundIds])]
  return write({
    scope: {
      ...scopeOf({ accountId, bankAccountId }, ids),
      spendingIds,
      refundIds,
      bulkOperationId: operationId,
    },
    signal: context.signal,
    createdBy,
    isAlone: items.length > sharedSizeMax,
    decide: (current) => {
      const { bulkOperation } = current
      if (!bulkOperation) throw notFound('operation')
      const due = bulkOperation.undoneAt === null ? items : []
      const { settlement, outcomes } = changeEach(current, due, undoerOf(kind, rows, tagOf))
      const reply = {
        ...renderResult(settlement),
        results: outcomes.map((one) => renderOutcome(one)),
      }
      if (due.length === 0) return { reply }
      return {
        settlement,
        transactions: changedOf(outcomes).map(({ after }) => after),
        bulkOperation: { ...bulkOperation, undoneAt: current.operation.now },
        reply,
      }
    },
  })
}

function scopeOf(key: { accountId: string; bankAccountId: string }, ids: readonly string[]) {
  return { ...key, transactionIds: ids, readsBookings: true, readsRefundable: true }
}

function tagOf(transaction: Transaction): string {
  return objectTag(TransactionSchema, renderTransaction(transaction))
}

function encode(kind: string, changed: ReturnType<typeof changedOf>): Uint8Array {
  const isOfFields = kind === 'set' || kind === 'correct'
  const rows = changed.map(({ before, after, bookings }) => {
    const { available, current } = sumBookings(bookings)
    return {
      before: renderTransaction(before),
      isAdjusted: before.adjustedByDeletion === true,
      after: tagOf(after),
      ...(isOfFields && {
        marksBefore: JSON.stringify(before.fieldMarks),
        marksAfter: JSON.stringify(after.fieldMarks),
      }),
      ...(kind === 'correct' && { bookedAvailable: available, bookedCurrent: current }),
    }
  })
  return toBinary(BulkChangeSchema, create(BulkChangeSchema, { kind, rows }))
}

function renderOutcome(outcome: BulkOutcome, hints: string[] = []) {
  const { transactionId } = outcome
  if ('after' in outcome) {
    const value = renderTransaction(outcome.after)
    return { transactionId, result: { case: 'transaction' as const, value }, hints }
  }
  return { transactionId, result: renderRefusal(outcome.refusal) }
}
