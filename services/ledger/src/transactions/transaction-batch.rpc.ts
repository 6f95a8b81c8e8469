import { create } from '@bufbuild/protobuf'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  type CreateTransactionsRequest,
  CreateTransactionsResponseSchema,
  type TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { renderResult } from '../money/settlements.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { renderTransaction } from '../records/transaction-records.ts'
import { batchSizeMax, createTransactions, type ItemOutcome } from './transaction-batch.ts'
import type { FillByRules } from './transaction-creation.ts'
import { readCreation, renderRefusal } from './transaction-request.ts'

type Deps = Pick<ServiceDeps, 'database'> &
  Pick<MoneyWriter, 'write'> & { fillByRules: FillByRules }

/** Maximum transactions of a batch in a group commit: a larger batch would delay other changes. */
const sharedSizeMax = 10

/** Returns the RPC handler that creates up to 500 transactions (docs/transactions.md). */
export function transactionBatchRoutes(
  deps: Deps,
): Pick<ServiceImpl<typeof TransactionService>, 'createTransactions'> {
  return { createTransactions: (request, context) => createBatch(deps, request, context) }
}

/** Creates transactions in one save; each is accepted or refused independently. */
async function createBatch(
  { database, write, fillByRules }: Deps,
  { bankAccountId, transactions }: CreateTransactionsRequest,
  context: HandlerContext,
) {
  if (transactions.length > batchSizeMax) {
    throw invalid({ transactions: say('TOO_MANY', { max: batchSizeMax }) })
  }
  const { accountId, userId: createdBy, timezone } = callerOf(context)
  const stated = transactions.map((one) => readCreation(one, timezone))
  const bodies = await fillByRules({ accountId, bankAccountId, timezone }, stated)
  const items = bodies.map((body) => ({ operationId: newId('op'), body }))
  const refundIds = [...new Set(items.flatMap(({ body }) => body.refundSpendingId ?? []))]
  const paying = items.flatMap(({ body }) => body.spendingId ?? [])
  const spendingIds = [...new Set([...paying, ...refundIds])]
  return once({ database, context, reply: CreateTransactionsResponseSchema }, (key) =>
    write({
      scope: { accountId, bankAccountId, spendingIds, refundIds },
      createdBy,
      timezone,
      signal: context.signal,
      isAlone: items.length > sharedSizeMax,
      decide: (locked) => {
        const { settlement, outcomes } = createTransactions(locked, items)
        const created = outcomes.flatMap((one) => ('transaction' in one ? one.transaction : []))
        const results = outcomes.map((one) => {
          const hints = 'hints' in one ? one.hints : []
          return { result: renderOutcome(one), hints }
        })
        const reply = create(CreateTransactionsResponseSchema, {
          ...renderResult(settlement),
          results,
        })
        if (created.length === 0) return { reply }
        return { settlement, transactions: created, reply, replies: keptReplies(key, reply) }
      },
    }),
  )
}

function renderOutcome(outcome: ItemOutcome) {
  if ('transaction' in outcome) {
    const value = renderTransaction(outcome.transaction)
    return { case: 'transaction', value } as const
  }
  return renderRefusal(outcome.refusal)
}
