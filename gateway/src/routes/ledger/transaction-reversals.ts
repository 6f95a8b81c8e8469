import type { MessageShape } from '@bufbuild/protobuf'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import {
  CorrectionService,
  type CorrectTransactionResponseSchema,
} from '@coffer/proto/ledger/v1/correction'
import {
  TransactionSchema,
  TransactionService,
  type UpdateTransactionResponseSchema,
} from '@coffer/proto/ledger/v1/transaction'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import { createRecalculation, type Recalculate } from '../../compose/recalculation.ts'
import type { RouteDeps } from '../../deps.ts'
import { hintKeys, hintsOf } from '../../http/answers/hints.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { boolean, nonZeroMoney, timestamp } from '../../http/fields/fields.ts'
import { boolean as booleanQuery } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'

export const dayInBody =
  "Day of the transaction: an instant, moved to midnight of its day in the account's timezone"

const spendingList = { list: SpendingSchema }

/** Shape of the answer to a change of a transaction. */
export const changedTransaction = {
  object: {
    transaction: TransactionSchema,
    balance: BalancesSchema,
    spending: spendingList,
    ...hintKeys,
  },
} as const

/** Fields of a correction (docs/money.md#corrections). */
export const transactionCorrection = z.strictObject({
  amount: nonZeroMoney
    .optional()
    .describe(
      'New amount in minor units, positive if money leaves. Required without date and isPending',
    ),
  date: timestamp.optional().describe(`${dayInBody}. It moves no balance`),
  isPending: boolean
    .optional()
    .describe('Whether it is not posted yet: then the current balance is without it'),
})

type Transactions = Client<typeof TransactionService>

/** A reply of the ledger to a change of a transaction. */
type Changed = MessageShape<
  typeof UpdateTransactionResponseSchema | typeof CorrectTransactionResponseSchema
>

/**
 * Returns the answer to a change of a transaction, with the recalculated plans of its envelopes.
 */
export async function answerChanged(
  changed: Changed,
  recalculate: Recalculate,
  call: Parameters<Recalculate>[1],
) {
  return {
    transaction: changed.transaction,
    balance: changed.balance,
    spending: await recalculate(changed.envelopes, call),
    ...hintsOf(changed),
  }
}

/** Returns the routes that delete, restore and correct a transaction (docs/money.md). */
export function reversalRoutes(deps: RouteDeps): Route[] {
  const transactions = deps.mesh.client('ledger', TransactionService)
  const recalculate = createRecalculation(deps)
  return [
    deletionRoute(transactions, recalculate),
    restorationRoute(transactions, recalculate),
    correctionRoute(deps, transactions, recalculate),
  ]
}

function deletionRoute(transactions: Transactions, recalculate: Recalculate): Route {
  return route({
    id: 'deleteTransaction',
    tag: 'Transactions',
    method: 'DELETE',
    path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId',
    summary: 'Delete a transaction of a manual bank account',
    description:
      'Without adjusts_balance the balances and the envelope keep the deduction. With it the ' +
      'balances get back what the transaction took, or its amount if it took nothing, and the ' +
      'envelope what it gave. Deleting it again changes nothing ' +
      '(docs/money.md#deletion-of-transactions).',
    since: '0.1.0',
    auth: 'key',
    isConditional: true,
    query: z.object({
      adjusts_balance: booleanQuery(false).describe(
        'Whether balances and envelope get the money back. Default: false',
      ),
      soft: booleanQuery(true).describe(
        'Whether the transaction stays readable by its ID, with deletedAt. Default: true',
      ),
    }),
    headers: ['Coffer-Recalculation'],
    answer: {
      object: {
        balance: BalancesSchema,
        spending: spendingList,
        ...hintKeys,
      },
    },
    handler: async (call) => {
      const { adjusts_balance: adjustsBalance, soft } = call.query
      const deleting = { ...call.params, adjustsBalance, soft }
      const deleted = await transactions.deleteTransaction(deleting, call.options)
      return {
        balance: deleted.balance,
        spending: await recalculate(deleted.envelopes, call),
        ...hintsOf(deleted),
      }
    },
  })
}

function restorationRoute(transactions: Transactions, recalculate: Recalculate): Route {
  return route({
    id: 'restoreTransaction',
    tag: 'Transactions',
    method: 'POST',
    path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId/restore',
    summary: 'Restore a soft-deleted transaction of a manual bank account, with its money',
    description:
      'Reverses its soft deletion: balances and envelope change back as they did. A repeated ' +
      'request restores it once (docs/money.md#restoration-of-transactions).',
    since: '0.3.0',
    auth: 'key',
    tagged: 'transaction',
    idempotent: true,
    find: ({ params, options }) => transactions.getTransaction(params, options),
    body: z.strictObject({}),
    isBodyOptional: true,
    answer: {
      object: { transaction: TransactionSchema, balance: BalancesSchema, spending: spendingList },
    },
    handler: async (call) => {
      const restored = await transactions.restoreTransaction(call.params, call.writeOptions)
      return {
        transaction: restored.transaction,
        balance: restored.balance,
        spending: await recalculate(restored.envelopes, call),
      }
    },
  })
}

function correctionRoute(
  { mesh }: RouteDeps,
  transactions: Transactions,
  recalculate: Recalculate,
): Route {
  const corrections = mesh.client('ledger', CorrectionService)
  return route({
    id: 'correctTransaction',
    tag: 'Transactions',
    method: 'POST',
    path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId/correct',
    summary: 'Correct amount, day or state of a transaction, and the balances with it',
    description:
      'Unlike PATCH it moves the balances, by the difference, if the transaction has moved them; ' +
      'otherwise it changes the transaction only, and hints say so. On a manual link only. A ' +
      'repeated request corrects it once (docs/money.md#corrections).',
    since: '0.4.0',
    auth: 'key',
    tagged: 'transaction',
    idempotent: true,
    headers: ['Coffer-Recalculation'],
    find: ({ params, options }) => transactions.getTransaction(params, options),
    body: transactionCorrection,
    answer: changedTransaction,
    handler: async (call) => {
      const correction = { ...valuesOf(call.body), ...call.params }
      const corrected = await corrections.correctTransaction(correction, call.writeOptions)
      return answerChanged(corrected, recalculate, call)
    },
  })
}
