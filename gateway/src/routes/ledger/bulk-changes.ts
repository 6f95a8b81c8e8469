import { say } from '@coffer/kit/reasons/reasons'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import {
  BulkChangeService,
  type ChangedTransaction,
  type ChangeTransactionsRequest,
} from '@coffer/proto/ledger/v1/bulk_change'
import { UpdateTransactionRequestSchema } from '@coffer/proto/ledger/v1/transaction'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { createRecalculation } from '../../compose/recalculation.ts'
import type { RouteDeps } from '../../deps.ts'
import { hintsOf } from '../../http/answers/hints.ts'
import { updateOf, valuesOf } from '../../http/bodies/update.ts'
import { requireDay } from '../../http/fields/day.ts'
import { boolean, id, list, money, object, oneOf, string, text } from '../../http/fields/fields.ts'
import { dayShape } from '../../http/fields/shapes.ts'
import { tag } from '../../http/fields/tag.ts'
import { ofNone, wordsOfNone } from '../../http/queries/transaction-query.ts'
import { type Route, route } from '../../http/route.ts'
import { bulkResult, sizeMax, toResult } from './bulk-transactions.ts'
import { envelopeOf } from './transaction-list.ts'
import { transactionCorrection } from './transaction-reversals.ts'
import { transactionChange } from './transactions.ts'

const day = string.superRefine(requireDay).meta(dayShape)

/** The filters of the transaction list, as JSON values. */
const filter = object({
  search: text.optional().describe('Text that occurs in a name, a merchant or the notes'),
  from: day.optional().describe("First day of the transactions, in the account's timezone"),
  to: day.optional().describe('Last day of the transactions, included'),
  pending: boolean.optional().describe('true: only pending ones. false: only posted ones'),
  spendingId: z
    .union([oneOf(ofNone), id('spnd')])
    .optional()
    .describe(`Only those of this expense or goal; ${wordsOfNone}`),
  amount: money.optional().describe('Only those of this amount in minor units, of either sign'),
  amountFrom: money.optional().describe('Smallest amount in minor units, included'),
  amountTo: money.optional().describe('Largest amount in minor units, included'),
  source: oneOf(values['Transaction.source']).optional().describe('Only those of this source'),
  tag: tag.optional().describe('Only those with this tag, in any case and accents'),
  deleted: boolean.optional().describe('true: the soft-deleted transactions instead of live ones'),
})

const bulkChange = z.strictObject({
  items: list(id('txn'))
    .min(1, say('ITEM_COUNT', { min: 1, max: sizeMax }))
    .max(sizeMax, say('ITEM_COUNT', { min: 1, max: sizeMax }))
    .optional()
    .describe('IDs of the transactions, 1 to 500, each once; or filter'),
  filter: filter
    .optional()
    .describe('Changes the transactions that match; 400 if they are more than 500'),
  set: transactionChange
    .optional()
    .describe('Changes each transaction as a PATCH of it does; or correct, delete or restore'),
  correct: transactionCorrection
    .optional()
    .describe('Corrects each transaction, and the balances with it, on a manual link only'),
  delete: object({
    adjustsBalance: boolean
      .optional()
      .describe('Whether balances and envelopes get the money back. Default: false'),
  })
    .optional()
    .describe('Deletes the transactions softly, on a manual link only'),
  restore: object({})
    .optional()
    .describe('Restores soft-deleted transactions with their money, on a manual link only'),
})

const shape = {
  results: { list: { object: { transactionId: { json: { type: 'string' } }, ...bulkResult } } },
  balance: BalancesSchema,
  spending: { list: SpendingSchema },
}

/** Returns the routes that change many transactions, and undo such changes (docs/money/bulk.md). */
export function bulkChangeRoutes(deps: RouteDeps): Route[] {
  const changes = deps.mesh.client('ledger', BulkChangeService)
  const accounts = deps.mesh.client('ledger', BankAccountService)
  const recalculate = createRecalculation(deps)
  return [
    route({
      id: 'changeTransactions',
      tag: 'Transactions',
      method: 'PATCH',
      path: '/api/bank_accounts/:bankAccountId/transactions/bulk',
      summary: 'Change, correct, delete or restore up to 500 transactions; undone as one',
      description:
        'Takes items or filter, and one of set, correct, delete and restore. Accepted changes ' +
        'are one commit in the order of the results, refused ones have an error: the answer is ' +
        '200 even then. operationId undoes it for 7 days; it is left out if nothing changed ' +
        '(docs/money/bulk.md).',
      since: '0.4.0',
      auth: 'key',
      idempotent: true,
      headers: ['Coffer-Recalculation'],
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: bulkChange,
      answer: {
        object: { operationId: { optional: { json: { type: 'string' } } }, ...shape },
      },
      handler: async (call) => {
        const request = { ...call.params, ...requestOf(call.body) }
        const changed = await changes.changeTransactions(request, call.writeOptions)
        return {
          ...valuesOf({ operationId: changed.operationId }),
          results: changed.results.map(resultOf),
          balance: changed.balance,
          spending: await recalculate(changed.envelopes, call),
        }
      },
    }),
    route({
      id: 'undoOperation',
      tag: 'Transactions',
      method: 'DELETE',
      path: '/api/operations/:bulkOperationId',
      summary: 'Undo a change of many transactions, where nothing has changed since',
      description:
        'Transactions that have changed since are left, and their results have an error. A ' +
        'second time changes nothing and has no results. 404 after 7 days (docs/money/bulk.md).',
      since: '0.4.0',
      auth: 'key',
      headers: ['Coffer-Recalculation'],
      answer: { object: shape },
      handler: async (call) => {
        const operationId = call.params.bulkOperationId
        const undone = await changes.undoOperation({ operationId }, call.options)
        return {
          results: undone.results.map(resultOf),
          balance: undone.balance,
          spending: await recalculate(undone.envelopes, call),
        }
      },
    }),
  ]
}

/** Returns a body as a request to the ledger, which refuses zero or several kinds of changes. */
function requestOf({ items = [], filter: by, set, correct, ...more }: z.output<typeof bulkChange>) {
  const { spendingId, ...rest } = by ?? {}
  return {
    items,
    ...(by ? { filter: { ...valuesOf(rest), ...envelopeOf(spendingId) } } : {}),
    ...(set ? { set: updateOf(UpdateTransactionRequestSchema, set) } : {}),
    ...(correct ? { correct: valuesOf(correct) } : {}),
    ...valuesOf(more),
  } as unknown as Omit<ChangeTransactionsRequest, '$typeName' | 'bankAccountId'>
}

function resultOf(changed: ChangedTransaction) {
  const { transactionId, result } = changed
  return { transactionId, ...toResult(result), ...hintsOf(changed) }
}
