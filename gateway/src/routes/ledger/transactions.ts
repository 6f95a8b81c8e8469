import { notFound } from '@coffer/kit/rpc/errors'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { SimilarService, TransactionClusterSchema } from '@coffer/proto/ledger/v1/similar'
import {
  TransactionSchema,
  TransactionService,
  UpdateTransactionRequestSchema,
} from '@coffer/proto/ledger/v1/transaction'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import { createRecalculation, type Recalculate } from '../../compose/recalculation.ts'
import { createTransactionLists } from '../../compose/transaction-page.ts'
import type { RouteDeps } from '../../deps.ts'
import { hintKeys, hintsOf } from '../../http/answers/hints.ts'
import { patchText, updateOf, valuesOf } from '../../http/bodies/update.ts'
import {
  boolean,
  id,
  ignoringNull,
  name,
  nonZeroMoney,
  notes,
  nullOr,
  text,
  timestamp,
} from '../../http/fields/fields.ts'
import { optionalTags, tags } from '../../http/fields/tag.ts'
import { pageText } from '../../http/queries/cursor.ts'
import { included } from '../../http/queries/query.ts'
import { everyTransactionPage } from '../../http/queries/transaction-query.ts'
import { type Route, route } from '../../http/route.ts'
import { envelopeOf, transactionListRoute } from './transaction-list.ts'
import {
  answerChanged,
  changedTransaction,
  dayInBody,
  reversalRoutes,
} from './transaction-reversals.ts'

/** Schema of a new transaction (docs/transactions.md#create). */
export const transactionCreation = z.strictObject({
  amount: nonZeroMoney.describe(
    'Minor units: positive if money leaves the account, negative if it comes in; not 0',
  ),
  date: timestamp.describe(dayInBody),
  name: name.describe('Name of the transaction'),
  merchantName: ignoringNull(text).describe('Name of the merchant. Null counts as not sent'),
  spendingId: ignoringNull(id('spnd')).describe(
    'Expense or goal whose envelope pays; 400 for a deposit, which refundSpendingId is for. Null ' +
      'counts as not sent',
  ),
  refundSpendingId: ignoringNull(id('spnd')).describe(
    'Expense or goal that a deposit gives money back to, at most what was taken from it; 400 for ' +
      'a positive amount. Null counts as not sent',
  ),
  adjustsBalance: ignoringNull(boolean).describe(
    'Whether the amount is taken from the balances: the available one, and the current one ' +
      'unless pending. Default: false',
  ),
  isPending: ignoringNull(boolean).describe(
    'Whether the transaction is not posted yet. Default: false',
  ),
  notes: ignoringNull(notes).describe('Note in any number of lines. Null counts as not sent'),
  tags: optionalTags.describe(
    'Tags, at most 20. Null counts as not sent; with an empty list rules set none',
  ),
  appliesRules: ignoringNull(boolean).describe(
    'Whether rules set merchant, note, tags and envelope where they are left out. Default: false',
  ),
})

/**
 * Returns a new transaction as message fields. `hasNoTags` distinguishes an empty list from none:
 * proto3 does not.
 */
export function creationOf(body: z.output<typeof transactionCreation>) {
  return { ...valuesOf(body), hasNoTags: body.tags?.length === 0 }
}

/** Fields of a PATCH; some are refused for provider transactions (docs/api.md#patch). */
export const transactionChange = z.strictObject({
  name: name.optional().describe('New name; on every kind of link'),
  merchantName: ignoringNull(text).describe(
    'New name of the merchant; a blank text clears it, null counts as not sent',
  ),
  spendingId: nullOr(id('spnd'))
    .optional()
    .describe('Expense or goal whose envelope pays from now on; null takes it out of its envelope'),
  refundSpendingId: nullOr(id('spnd'))
    .optional()
    .describe(
      'Expense or goal that the deposit gives money back to from now on, at most what was taken ' +
        'from it; null ends the refund',
    ),
  amount: nonZeroMoney
    .optional()
    .describe(
      'New amount in minor units, positive if money leaves; on a manual link only. It moves ' +
        'money in the envelope, never in the balances',
    ),
  date: timestamp.optional().describe(`${dayInBody}. On a manual link only`),
  isPending: ignoringNull(boolean).describe(
    'Whether it is not posted yet; on a manual link only. Moves no balance; null is ignored',
  ),
  notes: nullOr(notes).optional().describe('New note; null and a blank text clear it'),
  tags: tags
    .nullable()
    .optional()
    .describe('The tags from now on; null and an empty list clear them'),
  addTags: optionalTags.describe('Tags to add; not with tags'),
  removeTags: optionalTags.describe('Tags to remove, before others are added; not with tags'),
})

const provenance = included('provenance', 'provenance: who has set its fields, the user or a rule')

/** Returns the routes of transactions (docs/transactions.md, docs/similar-transactions.md). */
export function transactionRoutes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const transactions = mesh.client('ledger', TransactionService)
  const accounts = mesh.client('ledger', BankAccountService)
  const similar = mesh.client('ledger', SimilarService)
  const recalculate = createRecalculation(deps)
  return [
    ...reads(deps, transactions),
    route({
      id: 'getSimilarTransactions',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId/similar',
      summary: 'The cluster of similar transactions; 204 without one',
      description:
        'Found by a search in the background, some time after a change ' +
        '(docs/similar-transactions.md).',
      since: '0.1.0',
      auth: 'key',
      answer: TransactionClusterSchema,
      answers: { 204: 'The transaction is in no cluster' },
      handler: async ({ params, options, reply }) => {
        const { cluster } = await similar.getCluster(params, options)
        return cluster ?? reply.code(204).send()
      },
    }),
    creationRoute(transactions, accounts, recalculate),
    changeRoute(transactions, recalculate),
    ...reversalRoutes(deps),
  ]
}

type Transactions = Client<typeof TransactionService>

function reads(deps: RouteDeps, ledger: Transactions): Route[] {
  const lists = createTransactionLists(deps)
  return [
    transactionListRoute(deps, lists),
    route({
      id: 'listEveryTransaction',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/transactions',
      summary: 'Transactions of all bank accounts, newest first',
      description:
        'Archived bank accounts too; each transaction names its bank account. Filters and search ' +
        `as in the list of a bank account, without offset. ${pageText}`,
      since: '0.4.0',
      auth: 'key',
      query: everyTransactionPage,
      isFiltered: true,
      isPaged: true,
      answer: { list: TransactionSchema },
      handler: ({ query: { spendingId, ...page }, ...call }) =>
        lists.page({ ...valuesOf(page), ...envelopeOf(spendingId) }, call),
    }),
    route({
      id: 'getTransaction',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId',
      summary: 'One transaction, soft-deleted ones included',
      description:
        'With the records of the provider. A soft-deleted one has deletedAt. With ' +
        'include=provenance it says who has set its fields (docs/rules/rules.md#provenance).',
      since: '0.1.0',
      auth: 'key',
      query: z.object({ include: provenance }),
      tagged: true,
      answer: TransactionSchema,
      handler: async ({ params, query: { include }, options }) => {
        const request = { ...params, includesProvenance: include !== undefined }
        return (await ledger.getTransaction(request, options)).transaction
      },
    }),
  ]
}

function creationRoute(
  transactions: Transactions,
  accounts: Client<typeof BankAccountService>,
  recalculate: Recalculate,
): Route {
  return route({
    id: 'createTransaction',
    tag: 'Transactions',
    method: 'POST',
    path: '/api/bank_accounts/:bankAccountId/transactions',
    summary: 'Create a transaction on a manual bank account',
    description:
      'With spendingId the envelope pays as much of the amount as it holds; the rest lowers ' +
      'free-to-use. With refundSpendingId a deposit gives money back to an envelope, and ' +
      'refundAmount says how much (docs/money/refunds.md). Balances change only with ' +
      'adjustsBalance. 400 on a link that is not manual (docs/transactions.md#create).',
    since: '0.1.0',
    auth: 'key',
    tagged: 'transaction',
    idempotent: true,
    headers: ['Coffer-Recalculation'],
    find: ({ params, options }) => accounts.describeBankAccount(params, options),
    body: transactionCreation,
    answer: {
      object: {
        transaction: TransactionSchema,
        balance: BalancesSchema,
        spending: { optional: SpendingSchema },
        ...hintKeys,
      },
    },
    handler: async (call) => {
      const creating = { ...creationOf(call.body), ...call.params }
      const created = await transactions.createTransaction(creating, call.writeOptions)
      const { transaction, balance, envelope } = created
      const [spending] = await recalculate(envelope ? [envelope] : [], call)
      return {
        transaction,
        balance,
        ...(spending ? { spending } : {}),
        ...hintsOf(created),
      }
    },
  })
}

function changeRoute(transactions: Transactions, recalculate: Recalculate): Route {
  return route({
    id: 'updateTransaction',
    tag: 'Transactions',
    method: 'PATCH',
    path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId',
    summary: 'Change a transaction; the allowed keys depend on its link',
    description:
      `${patchText} A new amount or envelope moves money between envelopes and free-to-use, ` +
      'never balances. spending lists the envelopes that changed, the former one first ' +
      '(docs/transactions.md#change).',
    since: '0.1.0',
    auth: 'key',
    isConditional: true,
    tagged: 'transaction',
    find: async ({ params, options }) => {
      const { transaction } = await transactions.getTransaction(params, options)
      if (transaction?.deletedAt) throw notFound('transaction')
    },
    body: transactionChange,
    headers: ['Coffer-Recalculation'],
    answer: changedTransaction,
    handler: async (call) => {
      const update = { ...updateOf(UpdateTransactionRequestSchema, call.body), ...call.params }
      const updated = await transactions.updateTransaction(update, call.options)
      return answerChanged(updated, recalculate, call)
    },
  })
}
