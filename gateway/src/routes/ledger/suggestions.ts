import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
import { TransactionSchema, TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { values } from '@coffer/proto/values'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import { createRecalculation, type Recalculate } from '../../compose/recalculation.ts'
import type { RouteDeps } from '../../deps.ts'
import { id, oneOf } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'

const one = '/api/bank_accounts/:bankAccountId/transactions/:transactionId'

const suggestion = z.strictObject({
  kind: oneOf(values['Suggestion.kind']).describe('Kind of the suggestion'),
  transactionId: id('txn').describe('The other transaction, as suggestions names it'),
})

const changed = { balance: BalancesSchema, spending: { list: SpendingSchema } }

interface Clients {
  suggestions: Client<typeof SuggestionService>
  transactions: Client<typeof TransactionService>
  recalculate: Recalculate
}

/** Returns the routes that accept, reject and undo suggestions (docs/syncs.md#suggestions). */
export function suggestionRoutes(deps: RouteDeps): Route[] {
  const clients = {
    suggestions: deps.mesh.client('ledger', SuggestionService),
    transactions: deps.mesh.client('ledger', TransactionService),
    recalculate: createRecalculation(deps),
  }
  return [acceptanceRoute(clients), rejectionRoute(clients), separationRoute(clients)]
}

function acceptanceRoute({ suggestions, transactions, recalculate }: Clients): Route {
  return route({
    id: 'acceptSuggestion',
    tag: 'Transactions',
    method: 'POST',
    path: `${one}/suggestions/accept`,
    summary: 'Accept a suggestion: the pending transaction becomes this posted one',
    description:
      'The pending transaction keeps its ID, name, note and envelope, which takes the posted ' +
      'amount; this one is soft-deleted. Its own name, note and envelope take precedence. ' +
      '400 for another transaction (docs/syncs.md#suggestions).',
    since: '0.4.0',
    auth: 'key',
    tagged: 'transaction',
    idempotent: true,
    headers: ['Coffer-Recalculation'],
    find: ({ params, options }) => transactions.getTransaction(params, options),
    body: suggestion,
    answer: { object: { transaction: TransactionSchema, ...changed } },
    handler: async (call) => {
      const accepting = { ...call.params, suggestion: call.body }
      const accepted = await suggestions.acceptSuggestion(accepting, call.writeOptions)
      return {
        transaction: accepted.transaction,
        balance: accepted.balance,
        spending: await recalculate(accepted.envelopes, call),
      }
    },
  })
}

function rejectionRoute({ suggestions, transactions }: Clients): Route {
  return route({
    id: 'rejectSuggestion',
    tag: 'Transactions',
    method: 'POST',
    path: `${one}/suggestions/reject`,
    summary: 'Reject a suggestion for good: the two are different transactions',
    description: 'They are neither suggested nor joined again (docs/syncs.md#suggestions).',
    since: '0.4.0',
    auth: 'key',
    idempotent: true,
    find: ({ params, options }) => transactions.getTransaction(params, options),
    body: suggestion,
    success: 204,
    handler: async ({ params, body, writeOptions }) => {
      await suggestions.rejectSuggestion({ ...params, suggestion: body }, writeOptions)
    },
  })
}

function separationRoute({ suggestions, transactions, recalculate }: Clients): Route {
  return route({
    id: 'separateTransaction',
    tag: 'Transactions',
    method: 'POST',
    path: `${one}/separate`,
    summary: 'Take apart what a tip or an accepted suggestion has joined',
    description:
      'The posted transaction gets the ID, fields and envelope that it had, else a new ID and no ' +
      'envelope. The pending one is as before; it is soft-deleted, without money of its ' +
      'envelope, unless the bank still lists it. They are not joined again. 400 for a ' +
      'transaction without joinedBy (docs/syncs.md#suggestions).',
    since: '0.4.0',
    auth: 'key',
    tagged: 'transaction',
    idempotent: true,
    headers: ['Coffer-Recalculation'],
    find: ({ params, options }) => transactions.getTransaction(params, options),
    body: z.strictObject({}),
    isBodyOptional: true,
    answer: { object: { transaction: TransactionSchema, pending: TransactionSchema, ...changed } },
    handler: async (call) => {
      const separated = await suggestions.separateTransaction(call.params, call.writeOptions)
      return {
        transaction: separated.transaction,
        pending: separated.pending,
        balance: separated.balance,
        spending: await recalculate(separated.envelopes, call),
      }
    },
  })
}
