import type { MessageInitShape } from '@bufbuild/protobuf'
import { RuleSchema } from '@coffer/proto/ledger/v1/rule'
import {
  type AcceptRuleSuggestionRequestSchema,
  ListRuleSuggestionsResponseSchema,
  RuleSuggestionSchema,
  RuleSuggestionService,
} from '@coffer/proto/ledger/v1/rule_suggestion'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { name } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'
import { actions } from './rules.ts'

const acceptance = z.strictObject({
  name: name.optional().describe('Name of the rule instead of that of the suggestion'),
  actions: actions
    .optional()
    .describe('All actions of the rule instead of those of the suggestion'),
})

/** Returns the routes of suggested rules (docs/rules/suggestions.md). */
export function ruleSuggestionRoutes({ mesh }: RouteDeps): Route[] {
  const suggestions = mesh.client('ledger', RuleSuggestionService)
  return [
    route({
      id: 'listRuleSuggestions',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/rules/suggestions',
      summary: 'Rules for similar transactions, those that change the most of them first',
      description:
        'At most 50, from the newest 10,000 transactions. None against an edit by hand, and ' +
        'none that a rule does already (docs/rules/suggestions.md).',
      since: '0.4.0',
      auth: 'key',
      answer: ListRuleSuggestionsResponseSchema,
      handler: ({ options }) => suggestions.listRuleSuggestions({}, options),
    }),
    route({
      id: 'getRuleSuggestion',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId/rule_suggestion',
      summary: 'The rule that a transaction and those like it suggest; 204 without one',
      description:
        'After an edit by hand: the rule that does the same to similar transactions ' +
        '(docs/rules/suggestions.md).',
      since: '0.4.0',
      auth: 'key',
      answer: RuleSuggestionSchema,
      answers: { 204: 'The transaction suggests no rule' },
      handler: async ({ params, options, reply }) => {
        const { suggestion } = await suggestions.getRuleSuggestion(params, options)
        return suggestion ?? reply.code(204).send()
      },
    }),
    ...answerRoutes(suggestions),
  ]
}

function answerRoutes(suggestions: Client<typeof RuleSuggestionService>): Route[] {
  return [
    route({
      id: 'acceptRuleSuggestion',
      tag: 'Transactions',
      method: 'POST',
      path: '/api/rules/suggestions/:ruleSuggestionId/accept',
      summary: 'Create the rule of a suggestion; a repetition answers the same rule',
      description:
        'Stored transactions stay as they are: apply the rule by POST /api/rules/runs. 404 for a ' +
        'suggestion that the list no longer has (docs/rules/suggestions.md).',
      since: '0.4.0',
      auth: 'key',
      body: acceptance,
      isBodyOptional: true,
      answer: RuleSchema,
      handler: async ({ params, body, options }) => {
        const request = { ...body, ...params } as MessageInitShape<
          typeof AcceptRuleSuggestionRequestSchema
        >
        return (await suggestions.acceptRuleSuggestion(request, options)).rule
      },
    }),
    route({
      id: 'dismissRuleSuggestion',
      tag: 'Transactions',
      method: 'POST',
      path: '/api/rules/suggestions/:ruleSuggestionId/dismiss',
      summary: 'Dismiss a suggested rule for good',
      description: 'A repetition changes nothing (docs/rules/suggestions.md).',
      since: '0.4.0',
      auth: 'key',
      body: z.strictObject({}),
      isBodyOptional: true,
      success: 204,
      handler: async ({ params, options }) => {
        await suggestions.dismissRuleSuggestion(params, options)
      },
    }),
  ]
}
