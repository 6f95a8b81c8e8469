import {
  ExplanationSchema,
  SpendingSchema,
  SpendingService,
  UpdateSpendingRequestSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { TransactionSchema, TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { z } from 'zod'
import { createRecalculation } from '../../compose/recalculation.ts'
import { listTransactionPage } from '../../compose/transaction-page.ts'
import type { RouteDeps } from '../../deps.ts'
import {
  boolean,
  exactly,
  id,
  ignoringNull,
  name,
  nullOr,
  positiveMoney,
  ruleset,
  timestamp,
} from '../../http/bodies/fields.ts'
import { transactionPage } from '../../http/query.ts'
import { type Route, route } from '../../http/route.ts'
import { updateOf, valuesOf } from '../../http/update.ts'

const plan = {
  name,
  fundingScheduleId: id('fund'),
  targetAmount: positiveMoney,
  isPaused: boolean.optional(),
}

/** Body that creates an expense or a goal (docs/plans.md#creating-changing-and-deleting). */
const creation = z.union([
  z.strictObject({
    spendingType: exactly('expense'),
    ...plan,
    ruleset,
    nextRecurrence: timestamp
      .optional()
      .meta({ description: 'Midnight of the next due date; without it, the next of the ruleset' }),
    autoCreateTransaction: boolean.optional(),
  }),
  z.strictObject({
    spendingType: exactly('goal'),
    ...plan,
    nextRecurrence: timestamp,
    ruleset: z.null({ error: 'must be null: goals do not recur' }).optional(),
  }),
])

/** Keys of expenses and of goals; budgeting refuses `ruleset` for a goal (docs/api.md#patch). */
const change = z.strictObject({
  name: name.optional(),
  fundingScheduleId: id('fund').optional(),
  targetAmount: positiveMoney.optional(),
  nextRecurrence: timestamp
    .optional()
    .meta({ description: 'Without it, a new ruleset moves it to the next occurrence' }),
  ruleset: nullOr(ruleset).optional(),
  autoCreateTransaction: boolean.optional(),
  isPaused: boolean.optional(),
})

const transfer = z
  .strictObject({
    fromSpendingId: ignoringNull(id('spnd')),
    toSpendingId: ignoringNull(id('spnd')),
    amount: positiveMoney,
  })
  .refine(({ fromSpendingId, toSpendingId }) => fromSpendingId || toSpendingId, {
    path: ['fromSpendingId'],
    error: 'fromSpendingId or toSpendingId is required',
  })

/** Returns the routes of spending objects: each shows an envelope and its plan (docs/plans.md). */
export function spendingRoutes(deps: RouteDeps): Route[] {
  return [...reads(deps), ...writes(deps)]
}

function reads({ mesh }: RouteDeps): Route[] {
  const spending = mesh.client('budgeting', SpendingService)
  const ledger = mesh.client('ledger', TransactionService)
  return [
    route({
      id: 'listSpending',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending',
      summary: 'Expenses and goals of a bank account',
      auth: 'key',
      answer: { list: SpendingSchema },
      handler: async ({ params, options }) =>
        (await spending.listSpending(params, options)).spending,
    }),
    route({
      id: 'getSpending',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId',
      summary: 'One expense or goal',
      auth: 'key',
      answer: SpendingSchema,
      handler: async ({ params, options }) =>
        (await spending.getSpending(params, options)).spending,
    }),
    route({
      id: 'explainSpending',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId/explain',
      summary: 'Explanation of the next contribution of an expense or goal',
      auth: 'key',
      answer: ExplanationSchema,
      handler: async ({ params, options }) =>
        (await spending.explainSpending(params, options)).explanation,
    }),
    route({
      id: 'listSpendingTransactions',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId/transactions',
      summary: 'Transactions spent from an expense or goal, newest first',
      auth: 'key',
      query: transactionPage,
      isPaged: true,
      answer: { list: TransactionSchema },
      handler: ({ query, ...call }) =>
        listTransactionPage(ledger, { ...call.params, ...valuesOf(query) }, call),
    }),
  ]
}

function writes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const spending = mesh.client('budgeting', SpendingService)
  const envelopes = mesh.client('ledger', EnvelopeService)
  const recalculate = createRecalculation(deps)
  return [
    route({
      id: 'createSpending',
      tag: 'Spending',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/spending',
      summary: 'Create an expense or a goal',
      auth: 'key',
      idempotent: true,
      body: creation,
      answer: SpendingSchema,
      handler: async ({ params, body, writeOptions }) => {
        const creating = { ...valuesOf(body), ...params }
        const created = await spending.createSpending(creating, writeOptions)
        return created.spending
      },
    }),
    route({
      id: 'transferBetweenEnvelopes',
      tag: 'Spending',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/spending/transfer',
      summary: 'Move money between two envelopes, or between one and free-to-use',
      auth: 'key',
      idempotent: true,
      body: transfer,
      answer: { object: { balance: BalancesSchema, spending: { list: SpendingSchema } } },
      handler: async (call) => {
        const moving = { ...valuesOf(call.body), ...call.params }
        const moved = await envelopes.transfer(moving, call.writeOptions)
        return { balance: moved.balance, spending: await recalculate(moved.envelopes, call) }
      },
    }),
    route({
      id: 'updateSpending',
      tag: 'Spending',
      method: 'PATCH',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId',
      summary: 'Change an expense or goal; the allowed keys depend on its type',
      auth: 'key',
      find: ({ params, options }) => spending.getSpending(params, options),
      body: change,
      answer: SpendingSchema,
      handler: async ({ params, body, options }) => {
        const update = { ...updateOf(UpdateSpendingRequestSchema, body), ...params }
        const changed = await spending.updateSpending(update, options)
        return changed.spending
      },
    }),
    route({
      id: 'deleteSpending',
      tag: 'Spending',
      method: 'DELETE',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId',
      summary: 'Delete an expense or goal; its money becomes free to use',
      auth: 'key',
      handler: ({ params, options }) => spending.deleteSpending(params, options),
    }),
  ]
}
