import { problemsOfDetail } from '@coffer/kit/rpc/errors'
import { SpendingSchema, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import {
  type CreatedTransaction,
  TransactionSchema,
  TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import { z } from 'zod'
import { recalculation } from '../../compose/recalculation.ts'
import { judgedList } from '../../http/batch.ts'
import { problemTree } from '../../http/errors/problems.ts'
import { given, rendered } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'
import { valuesOf } from '../../http/update.ts'
import { transactionCreation } from './transactions.ts'

const sizeMax = 500

const error = { json: { type: 'string' } }
const problems = { json: { type: 'object' } }

/**
 * Many transactions in one request. Each is stored wholly or not at all, and answered as it would
 * have been alone; those that are stored are booked together, in the order of the list.
 */
export function transactionBatchRoutes({ mesh, log }: RouteDeps): Route[] {
  const transactions = mesh.client('ledger', TransactionService)
  const accounts = mesh.client('ledger', BankAccountService)
  const recalculate = recalculation(mesh.client('budgeting', SpendingService), log)
  return [
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions/bulk',
      summary: 'Add up to 500 transactions to a manual bank account, each for itself',
      auth: 'key',
      idempotent: true,
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: z.strictObject({ transactions: judgedList(transactionCreation, sizeMax) }),
      answer: {
        object: {
          results: { list: { object: { transaction: TransactionSchema, error, problems } } },
          balance: BalancesSchema,
          spending: { list: SpendingSchema },
        },
      },
      handler: async (call) => {
        const { transactions: sent } = call.body
        const good = sent.flatMap((one) => ('item' in one ? valuesOf(one.item) : []))
        const creating = { ...call.params, transactions: good }
        const created = await transactions.createTransactions(creating, call.writeOptions)
        const results = created.results.values()
        return {
          results: sent.map((one) =>
            'item' in one ? resultOf(results.next().value) : one.refused,
          ),
          balance: rendered(BalancesSchema, created.balance),
          spending: await recalculate(created.envelopes, call),
        }
      },
    }),
  ]
}

function resultOf(created: CreatedTransaction | undefined) {
  const { result } = given(created)
  if (result.case === 'transaction') {
    return { transaction: rendered(TransactionSchema, result.value) }
  }
  const refused = given(result.value)
  const found = refused.problems && problemTree(problemsOfDetail(refused.problems))
  return { error: refused.error, ...(found ? { problems: found } : {}) }
}
