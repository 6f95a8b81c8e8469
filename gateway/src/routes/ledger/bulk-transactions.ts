import { problemsOfDetail } from '@coffer/kit/rpc/errors'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import type { ChangedTransaction } from '@coffer/proto/ledger/v1/bulk_change'
import {
  type CreatedTransaction,
  TransactionSchema,
  TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import { z } from 'zod'
import { createRecalculation } from '../../compose/recalculation.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { codedHintsShape, hintsOf } from '../../http/answers/hints.ts'
import { bulkItems } from '../../http/bodies/bulk-request.ts'
import { problemTree } from '../../http/errors/problems.ts'
import { reasonMembers } from '../../http/errors/reason-members.ts'
import { type Route, route } from '../../http/route.ts'
import { hintsSchema, reasonSchemas } from '../../openapi/errors.ts'
import { creationOf, transactionCreation } from './transactions.ts'

export const sizeMax = 500

/** Result of an item: its transaction, or the error that a single request would get. */
export const bulkResult = {
  transaction: { optional: TransactionSchema },
  error: { optional: { json: { type: 'string' } } },
  problems: { optional: { json: { $ref: '#/components/schemas/Problems' } } },
  hints: { optional: { json: hintsSchema } },
  codedHints: codedHintsShape,
  code: { optional: { json: reasonSchemas.code } },
  params: { optional: { json: reasonSchemas.params } },
  cause: { optional: { json: reasonSchemas.cause } },
  errors: { optional: { json: reasonSchemas.errors } },
}

/**
 * Returns the bulk routes of transactions (docs/api.md#bulk-requests). Valid items are booked in
 * one commit, in the order of the list; each item has its own result.
 */
export function bulkTransactionRoutes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const transactions = mesh.client('ledger', TransactionService)
  const accounts = mesh.client('ledger', BankAccountService)
  const recalculate = createRecalculation(deps)
  return [
    route({
      id: 'createTransactions',
      tag: 'Transactions',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions/bulk',
      summary: 'Create up to 500 transactions on a manual bank account; each has its own result',
      description:
        'Valid items are booked in the order of the list in one commit, refused ones have an ' +
        'error: the answer is 200 even then (docs/api.md#bulk-requests).',
      since: '0.1.0',
      auth: 'key',
      idempotent: true,
      headers: ['Coffer-Recalculation'],
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: z.strictObject({
        transactions: bulkItems(transactionCreation, sizeMax).describe(
          'Transactions to create, 1 to 500; each is decided on the result of those before it',
        ),
      }),
      answer: {
        object: {
          results: { list: { object: bulkResult } },
          balance: BalancesSchema,
          spending: { list: SpendingSchema },
        },
      },
      handler: async (call) => {
        const { transactions: sent } = call.body
        const good = sent.flatMap((one) => ('item' in one ? creationOf(one.item) : []))
        const creating = { ...call.params, transactions: good }
        const created = await transactions.createTransactions(creating, call.writeOptions)
        const results = created.results.values()
        return {
          results: sent.map((one) =>
            'item' in one ? resultOf(results.next().value) : one.refused,
          ),
          balance: created.balance,
          spending: await recalculate(created.envelopes, call),
        }
      },
    }),
  ]
}

function resultOf(created: CreatedTransaction | undefined) {
  const item = requirePart(created)
  return { ...toResult(item.result), ...hintsOf(item) }
}

/** Returns the transaction of an item, or the refusal that a single request would get. */
export function toResult(result: ChangedTransaction['result']) {
  if (result.case === 'transaction') return { transaction: result.value }
  const refused = requirePart(result.value)
  const found = refused.problems && problemTree(problemsOfDetail(refused.problems))
  const refusal = { error: refused.error, ...(found ? { problems: found } : {}) }
  return { ...refusal, ...reasonMembers(refusal) }
}
