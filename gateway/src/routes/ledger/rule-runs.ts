import type { MessageInitShape } from '@bufbuild/protobuf'
import { say } from '@coffer/kit/reasons/reasons'
import {
  type CreateRuleRunRequestSchema,
  RuleRunSchema,
  RuleRunService,
} from '@coffer/proto/ledger/v1/rule_run'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { requireDay } from '../../http/fields/day.ts'
import { rule as check, id, list, string } from '../../http/fields/fields.ts'
import { dayShape } from '../../http/fields/shapes.ts'
import { nextPageLink, pageText } from '../../http/queries/cursor.ts'
import { pagedById } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'

const day = string.superRefine(requireDay).meta(dayShape)

/** Keys that limit the transactions to which a run or a preview applies rules. */
export const ruleScope = {
  bankAccountId: id('bac').optional().describe('Only transactions of this bank account'),
  from: day.optional().describe("First day of the transactions, in the account's timezone"),
  to: day.optional().describe('Last day of the transactions, included'),
}

const creation = z.strictObject({
  ruleIds: list(id('rule'))
    .min(1, check(say('ITEM_COUNT', { min: 1, max: 500 })))
    .max(500, check(say('ITEM_COUNT', { min: 1, max: 500 })))
    .optional()
    .describe('IDs of the rules. Default: all rules; in both cases their order decides'),
  ...ruleScope,
})

/** Returns the routes of runs of rules over stored transactions (docs/rules/runs.md). */
export function ruleRunRoutes({ mesh }: RouteDeps): Route[] {
  const runs = mesh.client('ledger', RuleRunService)
  return [
    route({
      id: 'createRuleRun',
      tag: 'Transactions',
      method: 'POST',
      path: '/api/rules/runs',
      summary: 'Apply rules to stored transactions, as a run that can be undone',
      description:
        'Answers at once; the run goes on in pages. Fields that their user has set stay. 404 for ' +
        'a rule or a bank account that does not exist, 400 without rules or with 20 unfinished ' +
        'runs (docs/rules/runs.md).',
      since: '0.4.0',
      auth: 'key',
      idempotent: true,
      body: creation,
      answer: RuleRunSchema,
      handler: async ({ body, writeOptions }) => {
        const request = body as MessageInitShape<typeof CreateRuleRunRequestSchema>
        return (await runs.createRuleRun(request, writeOptions)).run
      },
    }),
    route({
      id: 'listRuleRuns',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/rules/runs',
      summary: 'Runs of rules, newest first',
      description: `Those of the last 30 days (docs/rules/runs.md). ${pageText}`,
      since: '0.4.0',
      auth: 'key',
      query: pagedById('rrun'),
      isPaged: true,
      answer: { list: RuleRunSchema },
      handler: async ({ query: { limit, after: before }, options, request, reply }) => {
        const page = { limit, ...valuesOf({ before }) }
        const { runs: shown, hasMore } = await runs.listRuleRuns(page, options)
        const last = hasMore ? shown.at(-1) : undefined
        if (last) reply.header('link', nextPageLink(request.url, [last.ruleRunId]))
        return shown
      },
    }),
    ...singleRoutes(runs),
  ]
}

function singleRoutes(runs: Client<typeof RuleRunService>): Route[] {
  return [
    route({
      id: 'getRuleRun',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/rules/runs/:ruleRunId',
      summary: 'A run of rules with its counts so far',
      description: '404 after 30 days (docs/rules/runs.md).',
      since: '0.4.0',
      auth: 'key',
      answer: RuleRunSchema,
      handler: async ({ params, options }) => (await runs.getRuleRun(params, options)).run,
    }),
    route({
      id: 'undoRuleRun',
      tag: 'Transactions',
      method: 'DELETE',
      path: '/api/rules/runs/:ruleRunId',
      summary: 'Undo a run of rules, where its values are still there',
      description:
        'Answers at once; the undo goes on in pages. A run that goes on ends first. Fields that ' +
        'were changed since are left and counted. A repetition changes nothing ' +
        '(docs/rules/runs.md#undo).',
      since: '0.4.0',
      auth: 'key',
      answer: RuleRunSchema,
      handler: async ({ params, options }) => (await runs.undoRuleRun(params, options)).run,
    }),
  ]
}
