import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Transaction as Tx } from '@coffer/kit/database'
import { notFound, unavailable } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { once } from '@coffer/kit/idempotency'
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
import { answerOf, envelopeChanges, lockForOperation, resultOf } from './money.rpc.ts'
import { saveMoney } from './money.sql.ts'
import {
  deleteTransaction,
  findTransaction,
  insertTransaction,
  listTransactions,
  updateTransaction,
} from './transaction.sql.ts'
import { createTransaction, type Locked, type Transaction } from './transaction.ts'
import { changeTransaction, type TransactionPatch } from './transaction-change.ts'
import { removeTransaction } from './transaction-removal.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

// How often a write starts over because the envelope changed between reading and locking.
const attemptsMax = 5

/** Transactions of a bank account (spec/interface.md, Transactions). */
export function transactionRoutes(deps: Deps): ServiceImpl<typeof TransactionService> {
  const { database } = deps
  return {
    listTransactions: async ({ bankAccountId, spendingId, limit, offset }, context) => {
      const { accountId } = callerOf(context)
      const page = { bankAccountId, spendingId: spendingId ?? null, limit, offset }
      const transactions = await listTransactions(database, accountId, page)
      if (!transactions) throw notFound(spendingId ? 'spending' : 'bank account')
      return { transactions: transactions.map((one) => toMessage(TransactionSchema, one)) }
    },
    getTransaction: async (request, context) => {
      const transaction = await get(deps, request, context)
      return { transaction: toMessage(TransactionSchema, transaction) }
    },
    createTransaction: (request, context) => post(deps, request, context),
    updateTransaction: async (request, context) => {
      const patch = patchOfRequest(patchOf(UpdateTransactionRequestSchema, request), context)
      const named = typeof patch.spendingId === 'string' ? [patch.spendingId] : []
      const scope = { ...request, context, spendingIds: named }
      return write(deps, scope, async (tx, locked) => {
        const { settlement, transaction } = changeTransaction(locked, patch)
        const changes = envelopeChanges(settlement.envelopes)
        await saveMoney(tx, { settlement, changes, beside: [updateTransaction(transaction)] })
        return { transaction: toMessage(TransactionSchema, transaction), ...resultOf(settlement) }
      })
    },
    deleteTransaction: async (request, context) => {
      const { adjustsBalance, soft } = request
      const scope = { ...request, context, spendingIds: [] }
      return write(deps, scope, async (tx, locked) => {
        const { settlement, transaction } = removeTransaction(locked, { adjustsBalance, soft })
        const changes = envelopeChanges(settlement.envelopes)
        const row = transaction
          ? updateTransaction(transaction)
          : deleteTransaction(locked.transaction)
        await saveMoney(tx, { settlement, changes, beside: [row] })
        return resultOf(settlement)
      })
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
  const { database, clock } = deps
  const { accountId, timezone } = callerOf(context)
  const { bankAccountId, date, merchantName = null, spendingId = null } = request
  const body = {
    ...request,
    transactionId: newId('txn'),
    date: midnightOf(date ? timestampDate(date) : clock(), timezone),
    merchantName,
    spendingId,
  }
  return once({ database, context, reply: CreateTransactionResponseSchema }, (key) =>
    database.transaction(async (tx) => {
      const scope = { accountId, bankAccountId, spendingIds: spendingId ? [spendingId] : [] }
      const locked = await lockForOperation(tx, scope, { now: clock() })
      const { settlement, transaction } = createTransaction(locked, body)
      const { balance, envelopes } = resultOf(settlement)
      const [envelope] = envelopes
      const reply = create(CreateTransactionResponseSchema, {
        transaction: toMessage(TransactionSchema, transaction),
        balance,
        ...(envelope ? { envelope } : {}),
      })
      await saveMoney(tx, {
        settlement,
        changes: envelopeChanges(settlement.envelopes),
        beside: [insertTransaction(transaction)],
        answer: answerOf(key, reply),
      })
      return reply
    }),
  )
}

/**
 * Runs a write to an existing transaction under the money lock. Its envelope must be locked with
 * it, so it is read beforehand; should it have changed by then, the write starts over.
 */
async function write<Result>(
  deps: Deps,
  scope: {
    bankAccountId: string
    transactionId: string
    spendingIds: string[]
    context: HandlerContext
  },
  run: (tx: Tx, locked: Locked & { transaction: Transaction }) => Promise<Result>,
): Promise<Result> {
  const { database, clock } = deps
  const { accountId } = callerOf(scope.context)
  let { spendingId } = await get(deps, scope, scope.context)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const expected = spendingId
    const spendingIds = expected ? [...scope.spendingIds, expected] : scope.spendingIds
    const result = await database.transaction(async (tx) => {
      const rows = { ...scope, accountId, spendingIds }
      const { transaction, ...locked } = await lockForOperation(tx, rows, { now: clock() })
      if (!transaction) throw notFound('transaction')
      if (transaction.spendingId !== expected) return { moved: transaction.spendingId }
      return { done: await run(tx, { ...locked, transaction }) }
    })
    if ('done' in result) return result.done
    spendingId = result.moved
  }
  throw unavailable('the transaction is being changed by others')
}

function patchOfRequest(
  patch: Partial<Record<string, unknown>>,
  context: HandlerContext,
): TransactionPatch {
  const { timezone } = callerOf(context)
  const date = patch.date instanceof Date ? { date: midnightOf(patch.date, timezone) } : {}
  return { ...patch, ...date }
}
