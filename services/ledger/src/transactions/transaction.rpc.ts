import { create } from '@bufbuild/protobuf'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { notFound } from '@coffer/kit/rpc/errors'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type CreateTransactionRequest,
  CreateTransactionResponseSchema,
  type RestoreTransactionRequest,
  RestoreTransactionResponseSchema,
  type Suggestion,
  TransactionSchema,
  type TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import type { ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'
import { listCreatedBy } from '../money/assigned-rows.sql.ts'
import { emitTransactions } from '../money/changed-rows.sql.ts'
import type { MoneyScope } from '../money/money-state.ts'
import { endOperation, startOperation } from '../money/operation.ts'
import { renderResult } from '../money/settlements.ts'
import type { Current, Decision } from '../money/unit-of-work.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { listRecords } from '../records/provider-record.sql.ts'
import {
  type ProviderRecords,
  renderRecords,
  renderTransaction,
} from '../records/transaction-records.ts'
import { type IsRenamed, renderProvenance } from './provenance.ts'
import { findTransaction } from './transaction.sql.ts'
import { changeTransaction } from './transaction-change.ts'
import { createTransaction, type FillByRules } from './transaction-creation.ts'
import { changeHints, creationHints, removalHints } from './transaction-hints.ts'
import { type BookedState, removeTransaction, restoreTransaction } from './transaction-removal.ts'
import { readCreation, readPatch } from './transaction-request.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> &
  MoneyWriter & {
    isRenamed: IsRenamed
    fillByRules: FillByRules
    /** Returns the suggestions of a provider's transaction (docs/syncs.md#suggestions). */
    listSuggestions: (of: {
      transaction: Transaction
      records: readonly ProviderRecord[]
    }) => Promise<Suggestion[]>
  }

/** Returns the RPC handlers of single transactions (docs/transactions.md). */
export function transactionRoutes(
  deps: Deps,
): Omit<ServiceImpl<typeof TransactionService>, 'listTransactions' | 'createTransactions'> {
  return {
    getTransaction: async (request, context) => {
      const { accountId } = callerOf(context)
      const transaction = await findTransaction(deps.database, accountId, request)
      if (!transaction) throw notFound('transaction')
      const isProvided = transaction.source === 'aggregator' || transaction.source === 'feed'
      const records = isProvided ? await listRecords(deps.database, accountId, transaction) : []
      const message = renderTransaction(transaction, renderRecords(transaction, records))
      if (request.includesProvenance) {
        message.provenance = renderProvenance(transaction, records, deps.isRenamed)
      }
      message.suggestions = await deps.listSuggestions({ transaction, records })
      return { transaction: message }
    },
    createTransaction: (request, context) => post(deps, request, context),
    updateTransaction: async (request, context) => {
      const { timezone } = callerOf(context)
      const patch = readPatch(request, timezone)
      const dated = patch.date === undefined ? {} : { timezone }
      const refundIds = patch.refundSpendingId ? [patch.refundSpendingId] : []
      const spendingIds = patch.spendingId ? [patch.spendingId, ...refundIds] : refundIds
      const { bankAccountId, transactionId } = request
      const readsRefundable = patch.amount !== undefined
      const ids = { bankAccountId, transactionId, spendingIds, refundIds, readsRefundable }
      return change(deps, { ...ids, ...dated, context }, (locked, provided) => {
        requireMatch(context, TransactionSchema, renderTransaction(locked.transaction))
        const { settlement, transaction } = changeTransaction(locked, patch)
        const message = renderTransaction(transaction, provided)
        const hints = changeHints(locked.transaction, transaction, locked.bookings)
        const reply = { transaction: message, ...renderResult(settlement), hints }
        return { settlement, transactions: [transaction], reply }
      })
    },
    deleteTransaction: async (request, context) => {
      const { bankAccountId, transactionId, adjustsBalance, soft } = request
      return change(deps, { bankAccountId, transactionId, spendingIds: [], context }, (locked) => {
        const { transaction: before, bookings } = locked
        requireMatch(context, TransactionSchema, renderTransaction(before))
        const { settlement, transaction } = removeTransaction(locked, { adjustsBalance, soft })
        const row = transaction ? { transactions: [transaction] } : { deleted: [before] }
        const hints = removalHints(before, { adjustsBalance }, bookings)
        return { settlement, ...row, reply: { ...renderResult(settlement), hints } }
      })
    },
    restoreTransaction: (request, context) => restore(deps, request, context),
    forgetSchedule: async (request, context) => {
      await forgetSchedule(deps, request, context)
      return {}
    },
  }
}

async function post(deps: Deps, request: CreateTransactionRequest, context: HandlerContext) {
  const { database, write } = deps
  const { accountId, userId: createdBy, timezone } = callerOf(context)
  const { bankAccountId } = request
  const key = { accountId, bankAccountId, timezone }
  const [body] = await deps.fillByRules(key, [readCreation(request, timezone)])
  if (!body) throw new Error('no body')
  const { spendingId, refundSpendingId } = body
  const refundIds = refundSpendingId ? [refundSpendingId] : []
  const spendingIds = spendingId ? [spendingId, ...refundIds] : refundIds
  const scope = { accountId, bankAccountId, spendingIds, refundIds }
  return once({ database, context, reply: CreateTransactionResponseSchema }, (key) =>
    write({
      scope,
      signal: context.signal,
      createdBy,
      timezone,
      decide: (locked) => {
        const { settlement, transaction } = createTransaction(locked, body)
        const { balance, envelopes } = renderResult(settlement)
        const [envelope] = envelopes
        const reply = create(CreateTransactionResponseSchema, {
          transaction: renderTransaction(transaction),
          balance,
          ...(envelope ? { envelope } : {}),
          hints: creationHints(transaction, body),
        })
        return { settlement, transactions: [transaction], reply, replies: keptReplies(key, reply) }
      },
    }),
  )
}

async function restore(deps: Deps, request: RestoreTransactionRequest, context: HandlerContext) {
  const { bankAccountId, transactionId } = request
  const ids = { bankAccountId, transactionId, spendingIds: [], readsRefundable: true }
  const { database } = deps
  return once({ database, context, reply: RestoreTransactionResponseSchema }, (key) =>
    change(deps, { ...ids, context }, (locked, provided) => {
      const { settlement, transaction } = restoreTransaction(locked)
      const reply = create(RestoreTransactionResponseSchema, {
        transaction: renderTransaction(transaction, provided),
        ...renderResult(settlement),
      })
      return { settlement, transactions: [transaction], reply, replies: keptReplies(key, reply) }
    }),
  )
}

type Existing = Omit<MoneyScope, 'accountId'> & {
  transactionId: string
  context: HandlerContext
  timezone?: string
}

/** Changes an existing transaction; throws `notFound` if it does not exist. */
function change<Reply>(
  { write }: Deps,
  { context, timezone, ...ids }: Existing,
  decide: (current: BookedState, provided: ProviderRecords) => Decision<Reply>,
): Promise<Reply> {
  const { accountId, userId: createdBy } = callerOf(context)
  return write({
    scope: { ...ids, accountId, readsBookings: true },
    signal: context.signal,
    createdBy,
    timezone,
    decide: ({ transaction, records, ...current }) => {
      if (!transaction) throw notFound('transaction')
      return decide({ ...current, transaction }, renderRecords(transaction, records))
    },
  })
}

/**
 * Removes a deleted funding schedule from all transactions; a repetition raises only the version.
 * `notFound` counts as success: the bank account is being deleted with its transactions.
 */
async function forgetSchedule(
  { database, clock, writeIn }: Deps,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
  context: HandlerContext,
): Promise<void> {
  const { accountId, userId: createdBy } = callerOf(context)
  const key = { accountId, bankAccountId }
  const decide = (current: Current): Decision<undefined> => {
    const settlement = endOperation(startOperation(current))
    return { settlement, forgotten: fundingScheduleId, reply: undefined }
  }
  const forgetting = database.transaction((tx) =>
    writeIn(tx, key, async () => {
      const ids = await listCreatedBy(tx, key, { fundingScheduleId })
      await emitTransactions(tx, { ...key, now: clock() }, { type: 'transaction.updated', ids })
      return { scope: key, createdBy, decide }
    }),
  )
  await forgetting.catch((error: unknown) => {
    if (ConnectError.from(error).code !== Code.NotFound) throw error
  })
}
