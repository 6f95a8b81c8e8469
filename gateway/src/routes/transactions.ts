import { notFound } from '@coffer/kit/errors'
import { SpendingSchema, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import {
  TransactionSchema,
  TransactionService,
  UpdateTransactionRequestSchema,
} from '@coffer/proto/ledger/v1/transaction'
import { z } from 'zod'
import {
  boolean,
  id,
  ignoringNull,
  name,
  nonZeroMoney,
  nullOr,
  text,
  timestamp,
} from '../fields.ts'
import { boolean as booleanQuery, page } from '../query.ts'
import { recalculation } from '../recalculation.ts'
import { rendered, renderedAll } from '../rest.ts'
import { type Lookup, type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'
import { updateOf, valuesOf } from '../update.ts'

const creation = z.strictObject({
  amount: nonZeroMoney,
  date: timestamp,
  name,
  merchantName: ignoringNull(text),
  spendingId: ignoringNull(id('spnd')),
  adjustsBalance: ignoringNull(boolean),
  isPending: ignoringNull(boolean),
})

/** Every key some kind of link may change; the ledger refuses by the stored kind. */
const change = z.strictObject({
  name: name.optional(),
  merchantName: ignoringNull(text),
  spendingId: nullOr(id('spnd')).optional(),
  amount: nonZeroMoney.optional(),
  date: timestamp.optional(),
  isPending: ignoringNull(boolean),
})

const spendingList = { list: SpendingSchema }

/** Transactions (spec/interface.md, Transactions; spec/ledger.md 4). */
export function transactionRoutes({ mesh, log }: RouteDeps): Route[] {
  const transactions = mesh.client('ledger', TransactionService)
  const accounts = mesh.client('ledger', BankAccountService)
  const recalculate = recalculation(mesh.client('budgeting', SpendingService), log)
  return [
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/transactions',
      summary: 'Transactions of a bank account, newest first',
      auth: 'key',
      query: page,
      answer: { list: TransactionSchema },
      handler: async ({ params, query, options }) => {
        const { transactions: some } = await transactions.listTransactions(
          { ...params, ...query },
          options,
        )
        return renderedAll(TransactionSchema, some)
      },
    }),
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId',
      summary: 'One transaction, soft-deleted ones included',
      auth: 'key',
      answer: TransactionSchema,
      handler: async ({ params, options }) => {
        const { transaction } = await transactions.getTransaction(params, options)
        return rendered(TransactionSchema, transaction)
      },
    }),
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions',
      summary: 'Add a transaction to a manual bank account',
      auth: 'key',
      idempotent: true,
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: creation,
      answer: {
        object: {
          transaction: TransactionSchema,
          balance: BalancesSchema,
          spending: SpendingSchema,
        },
      },
      handler: async (call) => {
        const creating = { ...valuesOf(call.body), ...call.params }
        const created = await transactions.createTransaction(creating, call.writeOptions)
        const changed = created.envelope ? [created.envelope] : []
        const [spending] = await recalculate(changed, call)
        return {
          transaction: rendered(TransactionSchema, created.transaction),
          balance: rendered(BalancesSchema, created.balance),
          ...(spending ? { spending } : {}),
        }
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId',
      summary: 'Change a transaction; which keys depends on its link',
      auth: 'key',
      find: live,
      body: change,
      answer: {
        object: { transaction: TransactionSchema, balance: BalancesSchema, spending: spendingList },
      },
      handler: async (call) => {
        const update = { ...updateOf(UpdateTransactionRequestSchema, call.body), ...call.params }
        const updated = await transactions.updateTransaction(update, call.options)
        return {
          transaction: rendered(TransactionSchema, updated.transaction),
          balance: rendered(BalancesSchema, updated.balance),
          spending: await recalculate(updated.envelopes, call),
        }
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId',
      summary: 'Delete a transaction of a manual bank account',
      auth: 'key',
      query: z.object({ adjusts_balance: booleanQuery(false), soft: booleanQuery(true) }),
      answer: { object: { balance: BalancesSchema, spending: spendingList } },
      handler: async (call) => {
        const { adjusts_balance: adjustsBalance, soft } = call.query
        const deleting = { ...call.params, adjustsBalance, soft }
        const deleted = await transactions.deleteTransaction(deleting, call.options)
        return {
          balance: rendered(BalancesSchema, deleted.balance),
          spending: await recalculate(deleted.envelopes, call),
        }
      },
    }),
  ]

  async function live({
    params,
    options,
  }: Lookup<{ bankAccountId: string; transactionId: string }>): Promise<void> {
    const { transaction } = await transactions.getTransaction(params, options)
    if (transaction?.deletedAt) throw notFound('transaction')
  }
}
