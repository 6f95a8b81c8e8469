import {
  ExplanationSchema,
  SpendingSchema,
  SpendingService,
  UpdateSpendingRequestSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { values } from '@coffer/proto/values'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import { createRecalculation } from '../../compose/recalculation.ts'
import { createTransactionLists } from '../../compose/transaction-page.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { hintKeys, hintsOf } from '../../http/answers/hints.ts'
import { patchText, updateOf, valuesOf } from '../../http/bodies/update.ts'
import { pageText } from '../../http/queries/cursor.ts'
import { optionalChoice } from '../../http/queries/query.ts'
import { transactionPage } from '../../http/queries/transaction-query.ts'
import { type Route, route } from '../../http/route.ts'
import { change, creation, transfer } from './spending-bodies.ts'

const explanationChoice = z.object({
  language: optionalChoice(
    values['ExplainSpendingRequest.language'],
    "Language of the sentences. Default: that of the account's locale, else English",
  ),
})

const written = {
  message: SpendingSchema,
  with: hintKeys,
}

/** Returns the routes of spending objects, each an envelope with its plan (docs/plans.md). */
export function spendingRoutes(deps: RouteDeps): Route[] {
  return [...reads(deps), ...writes(deps)]
}

function reads(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const spending = mesh.client('budgeting', SpendingService)
  const lists = createTransactionLists(deps)
  return [
    route({
      id: 'listSpending',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending',
      summary: 'Expenses and goals of a bank account',
      description: 'In the order of their IDs, all on one page, paused ones too.',
      since: '0.1.0',
      auth: 'key',
      pagedBy: { id: 'spendingId', newestFirst: false },
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
      description: 'Amounts are those of the envelope, dates and contribution those of the plan.',
      since: '0.1.0',
      auth: 'key',
      tagged: true,
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
      description:
        'The figures of the calculation and sentences in English or German, as of the stored ' +
        'contribution (docs/plans.md#the-explanation).',
      since: '0.1.0',
      auth: 'key',
      query: explanationChoice,
      answer: ExplanationSchema,
      handler: async ({ params, query, options }) =>
        (await spending.explainSpending({ ...params, ...valuesOf(query) }, options)).explanation,
    }),
    route({
      id: 'listSpendingTransactions',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId/transactions',
      summary: 'Transactions spent from an expense or goal, newest first',
      description: `Only those that are not deleted. ${pageText}`,
      since: '0.1.0',
      auth: 'key',
      query: transactionPage,
      isFiltered: true,
      isPaged: true,
      versionOf: lists.versionOf,
      answer: { list: TransactionSchema },
      handler: ({ query, ...call }) => lists.page({ ...call.params, ...valuesOf(query) }, call),
    }),
  ]
}

function writes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const spending = mesh.client('budgeting', SpendingService)
  const accounts = mesh.client('ledger', BankAccountService)
  return [
    route({
      id: 'createSpending',
      tag: 'Spending',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/spending',
      summary: 'Create an expense or a goal',
      description:
        'The envelope starts empty; fundings and transfers fill it. spendingType decides which ' +
        'keys are accepted (docs/plans.md#creating-changing-and-deleting).',
      since: '0.1.0',
      auth: 'key',
      tagged: true,
      idempotent: true,
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: creation,
      answer: written,
      handler: async ({ params, body, writeOptions }) => {
        const creating = { ...valuesOf(body), ...params }
        const created = await spending.createSpending(creating, writeOptions)
        return { message: requirePart(created.spending), ...hintsOf(created) }
      },
    }),
    transferRoute(deps, accounts),
    route({
      id: 'updateSpending',
      tag: 'Spending',
      method: 'PATCH',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId',
      summary: 'Change an expense or goal; the allowed keys depend on its type',
      description:
        `${patchText} Moves no money. A new target, schedule, date or rule recalculates the ` +
        'contribution (docs/plans.md#creating-changing-and-deleting).',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      tagged: true,
      find: ({ params, options }) => spending.getSpending(params, options),
      body: change,
      answers: { 409: 'Another request is deleting the expense or goal' },
      answer: written,
      handler: async ({ params, body, options }) => {
        const update = { ...updateOf(UpdateSpendingRequestSchema, body), ...params }
        const changed = await spending.updateSpending(update, options)
        return { message: requirePart(changed.spending), ...hintsOf(changed) }
      },
    }),
    route({
      id: 'deleteSpending',
      tag: 'Spending',
      method: 'DELETE',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId',
      summary: 'Delete an expense or goal; its money becomes free to use',
      description:
        'Its transactions are kept without their envelope. Cannot be reversed ' +
        '(docs/money.md#funding-and-periods).',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      handler: ({ params, options }) => spending.deleteSpending(params, options),
    }),
  ]
}

function transferRoute(deps: RouteDeps, accounts: Client<typeof BankAccountService>): Route {
  const envelopes = deps.mesh.client('ledger', EnvelopeService)
  const recalculate = createRecalculation(deps)
  return route({
    id: 'transferBetweenEnvelopes',
    tag: 'Spending',
    method: 'POST',
    path: '/api/bank_accounts/:bankAccountId/spending/transfer',
    summary: 'Move money between two envelopes, or between one and free-to-use',
    description:
      'Balances do not change. 400 if the source envelope holds less; free-to-use may become ' +
      'negative. The answer has the source first, then the destination ' +
      '(docs/money.md#transfers).',
    since: '0.1.0',
    auth: 'key',
    idempotent: true,
    find: ({ params, options }) => accounts.describeBankAccount(params, options),
    body: transfer,
    headers: ['Coffer-Recalculation'],
    answer: { object: { balance: BalancesSchema, spending: { list: SpendingSchema } } },
    handler: async (call) => {
      const moving = { ...valuesOf(call.body), ...call.params }
      const moved = await envelopes.transfer(moving, call.writeOptions)
      return { balance: moved.balance, spending: await recalculate(moved.envelopes, call) }
    },
  })
}
