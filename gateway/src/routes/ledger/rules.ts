import type { MessageInitShape } from '@bufbuild/protobuf'
import { say } from '@coffer/kit/reasons/reasons'
import {
  type CreateRuleRequestSchema,
  ListRulesResponseSchema,
  OrderRulesResponseSchema,
  type PreviewRuleRequestSchema,
  PreviewRuleResponseSchema,
  RuleSchema,
  RuleService,
  type UpdateRuleRequestSchema,
} from '@coffer/proto/ledger/v1/rule'
import { values } from '@coffer/proto/values'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import {
  boolean,
  rule as check,
  id,
  line,
  list,
  name,
  notNegativeMoney,
  object,
  oneOf,
  texts,
} from '../../http/fields/fields.ts'
import { tags } from '../../http/fields/tag.ts'
import { type Route, route } from '../../http/route.ts'
import { ruleScope } from './rule-runs.ts'

const textCondition = object({
  kind: oneOf(values['RuleText.kind']).describe(
    'contains, equals or startsWith compare with the text. pattern: the whole text fits, where ' +
      'each * stands for any characters',
  ),
  text: name.describe('Text or pattern, 1 to 300 characters; case and accents do not count'),
})

const dayOfMonth = z
  .int({ error: texts.integer })
  .min(1, check(say('RANGE', { min: 1, max: 31 })))
  .max(31, check(say('RANGE', { min: 1, max: 31 })))

const conditions = object({
  originalName: textCondition.optional().describe('Condition on the original name'),
  originalMerchantName: textCondition
    .optional()
    .describe('Condition on the original name of the merchant'),
  amountFrom: notNegativeMoney
    .optional()
    .describe('Smallest amount without its sign, in minor units, included'),
  amountTo: notNegativeMoney
    .optional()
    .describe('Largest amount without its sign, in minor units, included'),
  direction: oneOf(values['RuleConditions.direction'])
    .optional()
    .describe('out: money that leaves. in: money that comes in'),
  bankAccountId: id('bac').optional().describe('Only transactions of this bank account'),
  source: oneOf(values['RuleConditions.source'])
    .optional()
    .describe('Only transactions of this source'),
  isPending: boolean.optional().describe('true: only pending ones. false: only posted ones'),
  dayFrom: dayOfMonth.optional().describe('First day of the month, 1 to 31'),
  dayTo: dayOfMonth
    .optional()
    .describe('Last day of the month, included; before dayFrom it is one of the next month'),
})

/** Actions of a rule in a body. */
export const actions = object({
  name: name.optional().describe('Name of the transaction'),
  merchantName: name.optional().describe('Name of the merchant'),
  notes: line({ min: 1, max: 2000 }, 'lines').optional().describe('Note in any number of lines'),
  tags: tags.optional().describe('Tags, at most 20; those of several rules add up'),
  spendingId: id('spnd')
    .optional()
    .describe('Expense or goal whose envelope pays, for money that leaves'),
  refundSpendingId: id('spnd')
    .optional()
    .describe('Expense or goal that gets the money of a deposit back'),
})

const creation = z.strictObject({
  name: name.describe('Name of the rule, for people'),
  conditions: conditions.describe('Conditions, of which at least one; all must hold'),
  actions: actions.describe('Fields that the rule sets, of which at least one'),
})

const draft = z.strictObject({
  conditions: conditions.optional().describe('Conditions of a rule that need not exist'),
  actions: actions.optional().describe('Fields that it would set; required with conditions'),
  position: z
    .int({ error: texts.integer })
    .min(1, check(say('RANGE', { min: 1, max: 500 })))
    .max(500, check(say('RANGE', { min: 1, max: 500 })))
    .optional()
    .describe('Its position among the other rules, 1 for the first. Default: it is alone'),
  ruleId: id('rule')
    .optional()
    .describe('Stored rule that they would change, compared at its position by default'),
  ...ruleScope,
})

const change = z.strictObject({
  name: name.optional().describe('New name of the rule'),
  conditions: conditions.optional().describe('The conditions from now on, instead of all former'),
  actions: actions.optional().describe('The actions from now on, instead of all former'),
})

const order = z.strictObject({
  ruleIds: list(id('rule'))
    .max(500, check('must have at most 500 items'))
    .describe('IDs of all rules of the account, each once, in their new order'),
})

type Rules = Client<typeof RuleService>

/** Returns the routes of rules (docs/rules/rules.md). */
export function ruleRoutes({ mesh }: RouteDeps): Route[] {
  const rules = mesh.client('ledger', RuleService)
  return [...readRoutes(rules), ...writeRoutes(rules), orderRoute(rules), previewRoute(rules)]
}

function readRoutes(rules: Rules): Route[] {
  return [
    route({
      id: 'listRules',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/rules',
      summary: 'All rules of the account, in the order in which they decide',
      description: 'At most 500, in one answer (docs/rules/rules.md).',
      since: '0.4.0',
      auth: 'key',
      answer: ListRulesResponseSchema,
      handler: ({ options }) => rules.listRules({}, options),
    }),
    route({
      id: 'getRule',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/rules/:ruleId',
      summary: 'One rule',
      description: 'Its position among the others is in the list (docs/rules/rules.md).',
      since: '0.4.0',
      auth: 'key',
      tagged: true,
      answer: RuleSchema,
      handler: async ({ params, options }) => (await rules.getRule(params, options)).rule,
    }),
  ]
}

function writeRoutes(rules: Rules): Route[] {
  return [
    route({
      id: 'createRule',
      tag: 'Transactions',
      method: 'POST',
      path: '/api/rules',
      summary: 'Create a rule behind all others, for transactions that are imported from now on',
      description:
        'Stored transactions stay as they are. 400 if the account has 500 rules, and for a bank ' +
        'account or an envelope that does not exist (docs/rules/rules.md).',
      since: '0.4.0',
      auth: 'key',
      tagged: true,
      body: creation,
      answer: RuleSchema,
      handler: async ({ body, options }) => {
        const request = body as MessageInitShape<typeof CreateRuleRequestSchema>
        return (await rules.createRule(request, options)).rule
      },
    }),
    route({
      id: 'updateRule',
      tag: 'Transactions',
      method: 'PATCH',
      path: '/api/rules/:ruleId',
      summary: 'Change a rule; its conditions and its actions are replaced as a whole',
      description:
        'Keys that are not sent stay as they are. Transactions keep what the rule has set ' +
        '(docs/rules/rules.md).',
      since: '0.4.0',
      auth: 'key',
      isConditional: true,
      tagged: true,
      find: ({ params, options }) => rules.getRule(params, options),
      body: change,
      answer: RuleSchema,
      handler: async ({ params, body, options }) => {
        const request = { ...body, ...params } as MessageInitShape<typeof UpdateRuleRequestSchema>
        return (await rules.updateRule(request, options)).rule
      },
    }),
    route({
      id: 'deleteRule',
      tag: 'Transactions',
      method: 'DELETE',
      path: '/api/rules/:ruleId',
      summary: 'Delete a rule; transactions keep what it has set',
      description: 'A repetition is 404 (docs/rules/rules.md).',
      since: '0.4.0',
      auth: 'key',
      isConditional: true,
      handler: ({ params, options }) => rules.deleteRule(params, options),
    }),
  ]
}

function orderRoute(rules: Rules): Route {
  return route({
    id: 'orderRules',
    tag: 'Transactions',
    method: 'PUT',
    path: '/api/rules/order',
    summary: 'Put all rules in another order',
    description:
      'Of several rules that match a transaction the first one decides each field. 400 unless ' +
      'the body has every rule once (docs/rules/rules.md#order).',
    since: '0.4.0',
    auth: 'key',
    body: order,
    answer: OrderRulesResponseSchema,
    handler: ({ body, options }) => rules.orderRules(body, options),
  })
}

function previewRoute(rules: Rules): Route {
  return route({
    id: 'previewRule',
    tag: 'Transactions',
    method: 'POST',
    path: '/api/rules/preview',
    summary: 'The difference that rules would make to stored transactions; stores nothing',
    description:
      'Of all rules in their order, or of a rule that need not exist, alone or at a position. On ' +
      'the newest 20,000 transactions, of a bank account or days if the body has them: counts, ' +
      'and the first 100 with what changes, and what is left alone and why ' +
      '(docs/rules/rules.md#preview).',
    since: '0.4.0',
    auth: 'key',
    reads: true,
    body: draft,
    answer: PreviewRuleResponseSchema,
    handler: ({ body, options }) => {
      const request = body as MessageInitShape<typeof PreviewRuleRequestSchema>
      return rules.previewRule(request, options)
    },
  })
}
