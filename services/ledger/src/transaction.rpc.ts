import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { invalid, notFound, unavailable } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { keptReplies, once } from '@coffer/kit/idempotency'
import { patchOf, toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import { midnightOf } from '@coffer/kit/time'
import {
  type CreateTransactionRequest,
  CreateTransactionResponseSchema,
  TransactionSchema,
  type TransactionService,
  UpdateTransactionRequestSchema,
} from '@coffer/proto/ledger/v1/transaction'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { type MoneyDecision, type MoneyWriter, resultOf } from './money.rpc.ts'
import { noRecords, type ProviderRecords, renderRecords } from './provider-records.ts'
import { listRecords } from './sync-import.sql.ts'
import { findTransaction, forgetSchedule } from './transaction.sql.ts'
import { createTransaction, type Locked, type Transaction } from './transaction.ts'
import { postBatch } from './transaction-batch.rpc.ts'
import { changeTransaction, type TransactionPatch } from './transaction-change.ts'
import { listPage } from './transaction-list.rpc.ts'
import { removeTransaction } from './transaction-removal.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { write: MoneyWriter }

// How often a write starts over because the envelope changed between reading and locking.
const attemptsMax = 5

/** Transactions of a bank account (spec/interface.md, Transactions). */
export function transactionRoutes(deps: Deps): ServiceImpl<typeof TransactionService> {
  return {
    listTransactions: (request, context) => listPage(deps, request, context),
    getTransaction: async (request, context) => {
      const transaction = await get(deps, request, context)
      const provided = await providerRecordsOf(deps, transaction)
      return { transaction: toMessage(TransactionSchema, { ...transaction, ...provided }) }
    },
    createTransaction: (request, context) => post(deps, request, context),
    createTransactions: (request, context) => postBatch(deps, request, context),
    updateTransaction: async (request, context) => {
      const patch = patchOfRequest(patchOf(UpdateTransactionRequestSchema, request), context)
      const named = typeof patch.spendingId === 'string' ? [patch.spendingId] : []
      const scope = { ...request, context, spendingIds: named }
      return change(deps, scope, (locked, provided) => {
        const { settlement, transaction } = changeTransaction(locked, patch)
        const message = toMessage(TransactionSchema, { ...transaction, ...provided })
        const reply = { transaction: message, ...resultOf(settlement) }
        return { settlement, updated: transaction, reply }
      })
    },
    deleteTransaction: async (request, context) => {
      const { adjustsBalance, soft } = request
      const scope = { ...request, context, spendingIds: [] }
      return change(deps, scope, (locked) => {
        const { settlement, transaction } = removeTransaction(locked, { adjustsBalance, soft })
        const row = transaction ? { updated: transaction } : { deleted: locked.transaction }
        return { settlement, ...row, reply: resultOf(settlement) }
      })
    },
    forgetSchedule: async (request, context) => {
      await forgetSchedule(deps.database, callerOf(context).accountId, request)
      return {}
    },
  }
}

async function get(
  { database }: Deps,
  ids: { bankAccountId: string; transactionId: string },
  context: HandlerContext,
): Promise<Transaction> {
  const transaction = await findTransaction(database, callerOf(context).accountId, ids)
  if (!transaction) throw notFound('transaction')
  return transaction
}

async function post(deps: Deps, request: CreateTransactionRequest, context: HandlerContext) {
  const { database, write } = deps
  const { accountId, userId: createdBy, timezone } = callerOf(context)
  const { bankAccountId, date, merchantName = null, spendingId = null } = request
  if (!date) throw invalid({ date: 'is required' })
  const body = {
    ...request,
    transactionId: newId('txn'),
    date: midnightOf(timestampDate(date), timezone),
    merchantName,
    spendingId,
  }
  const scope = { accountId, bankAccountId, spendingIds: spendingId ? [spendingId] : [] }
  return once({ database, context, reply: CreateTransactionResponseSchema }, (key) =>
    write({
      scope,
      signal: context.signal,
      createdBy,
      decide: (locked) => {
        const { settlement, transaction } = createTransaction(locked, body)
        const { balance, envelopes } = resultOf(settlement)
        const [envelope] = envelopes
        const reply = create(CreateTransactionResponseSchema, {
          transaction: toMessage(TransactionSchema, transaction),
          balance,
          ...(envelope ? { envelope } : {}),
        })
        return { settlement, inserted: transaction, reply, replies: keptReplies(key, reply) }
      },
    }),
  )
}

type Existing = {
  bankAccountId: string
  transactionId: string
  spendingIds: string[]
  context: HandlerContext
}

/**
 * A write to an existing transaction. Its envelope must be locked with it, so it is read
 * beforehand; where it turns out to have changed by then, the write starts over.
 */
async function change<Reply>(
  deps: Deps,
  { context, ...ids }: Existing,
  decide: (
    locked: Locked & { transaction: Transaction },
    provided: ProviderRecords,
  ) => MoneyDecision<Reply>,
): Promise<Reply> {
  const { accountId, userId: createdBy } = callerOf(context)
  const found = await get(deps, ids, context)
  // Read before the write: once that is committed nothing may fail any more.
  const provided = await providerRecordsOf(deps, found)
  let { spendingId } = found
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const spendingIds = spendingId ? [...ids.spendingIds, spendingId] : ids.spendingIds
    const result = await deps.write({
      scope: { ...ids, accountId, spendingIds },
      signal: context.signal,
      createdBy,
      decide: (locked): MoneyDecision<{ done: Reply } | { moved: string }> => {
        const { transaction } = locked
        if (!transaction) throw notFound('transaction')
        const moved = transaction.spendingId
        const isLocked = locked.envelopes.some((envelope) => envelope.spendingId === moved)
        if (moved && !isLocked) return { reply: { moved } }
        const decision = decide({ ...locked, transaction }, provided)
        return { ...decision, reply: { done: decision.reply } }
      },
    })
    if ('done' in result) return result.done
    spendingId = result.moved
  }
  throw unavailable('the transaction is being changed by others')
}

/** What providers said of a transaction; nothing of one that somebody made or uploaded. */
async function providerRecordsOf(
  { database }: Deps,
  transaction: Transaction,
): Promise<ProviderRecords> {
  const { accountId, source } = transaction
  if (source !== 'aggregator' && source !== 'feed') return noRecords
  return renderRecords(source, await listRecords(database, accountId, transaction))
}

function patchOfRequest(
  patch: Partial<Record<string, unknown>>,
  context: HandlerContext,
): TransactionPatch {
  const { timezone } = callerOf(context)
  const date = patch.date instanceof Date ? { date: midnightOf(patch.date, timezone) } : {}
  return { ...patch, ...date }
}
