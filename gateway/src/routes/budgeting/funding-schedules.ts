import {
  FundingScheduleSchema,
  FundingScheduleService,
  UpdateFundingScheduleRequestSchema,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { hintKeys, hintsOf } from '../../http/answers/hints.ts'
import { patchText, updateOf, valuesOf } from '../../http/bodies/update.ts'
import {
  boolean,
  ignoringNull,
  name,
  notNegativeMoney,
  nullOr,
  positiveMoney,
  ruleset,
  text,
  timestamp,
} from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'

const rule = 'DTSTART line, LF, RRULE line (RFC 5545; docs/recurrence.md)'

const creation = z.strictObject({
  name: name.describe('Name, unique within the bank account, ignoring case and accents'),
  // Blank and null both mean no description (docs/funding-schedules.md).
  description: nullOr(text)
    .transform((sent) => sent || undefined)
    .optional()
    .describe('Free text; null and a blank text mean none'),
  ruleset: ruleset.describe(`Rule of the firings: ${rule}`),
  excludeWeekends: boolean
    .optional()
    .describe('Whether a firing on a weekend moves to the Friday before. Default: false'),
  autoCreateTransaction: boolean
    .optional()
    .describe(
      'Whether each firing creates the deposit as a transaction: on a manual link, with an ' +
        'estimatedDeposit. Default: false',
    ),
  estimatedDeposit: ignoringNull(positiveMoney).describe(
    'Deposit expected at each firing, in minor units, above 0. Null counts as not sent',
  ),
  nextRecurrence: ignoringNull(timestamp).describe(
    'Instant of the next firing, used unchanged. Without it, or if it has passed, the next ' +
      'occurrence of the ruleset',
  ),
})

/** Body of a PATCH: blank or null clears the description, null the deposit (docs/api.md#patch). */
const change = z.strictObject({
  name: name.optional().describe('New name, unique within the bank account'),
  description: nullOr(text).optional().describe('New free text; null and a blank text clear it'),
  ruleset: ruleset.optional().describe(`New rule of the firings: ${rule}`),
  excludeWeekends: ignoringNull(boolean).describe(
    'Whether a firing on a weekend moves to the Friday before; null is ignored',
  ),
  autoCreateTransaction: ignoringNull(boolean).describe(
    'Whether each firing creates the deposit as a transaction; null is ignored',
  ),
  estimatedDeposit: nullOr(notNegativeMoney)
    .optional()
    .describe('New expected deposit in minor units, 0 or more; null clears it'),
  nextRecurrence: timestamp
    .optional()
    .describe(
      'Instant of the next firing; 400 if it has passed. Without it, a new ruleset moves it to ' +
        'the next occurrence',
    ),
})

/** Returns the routes of funding schedules (docs/funding-schedules.md). */
export function fundingScheduleRoutes({ mesh }: RouteDeps): Route[] {
  const schedules = mesh.client('budgeting', FundingScheduleService)
  const accounts = mesh.client('ledger', BankAccountService)
  return [...reads(schedules), ...writes(schedules, accounts)]
}

type Schedules = Client<typeof FundingScheduleService>

function reads(schedules: Schedules): Route[] {
  return [
    route({
      id: 'listFundingSchedules',
      tag: 'Funding schedules',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules',
      summary: 'Funding schedules of a bank account',
      description: 'In the order of their IDs, all on one page.',
      since: '0.1.0',
      auth: 'key',
      pagedBy: { id: 'fundingScheduleId', newestFirst: false },
      answer: { list: FundingScheduleSchema },
      handler: async ({ params, options }) =>
        (await schedules.listFundingSchedules(params, options)).fundingSchedules,
    }),
    route({
      id: 'getFundingSchedule',
      tag: 'Funding schedules',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules/:fundingScheduleId',
      summary: 'One funding schedule',
      description: 'nextRecurrence is the next firing, at which contributions are moved.',
      since: '0.1.0',
      auth: 'key',
      tagged: true,
      answer: FundingScheduleSchema,
      handler: async ({ params, options }) =>
        (await schedules.getFundingSchedule(params, options)).fundingSchedule,
    }),
  ]
}

function writes(schedules: Schedules, accounts: Client<typeof BankAccountService>): Route[] {
  return [
    route({
      id: 'createFundingSchedule',
      tag: 'Funding schedules',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules',
      summary: 'Create a funding schedule',
      description:
        'Moves no money until its first firing. A schedule needs a rule that has a date left ' +
        '(docs/funding-schedules.md).',
      since: '0.1.0',
      auth: 'key',
      tagged: true,
      idempotent: true,
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: creation,
      answer: {
        message: FundingScheduleSchema,
        with: hintKeys,
      },
      handler: async ({ params, body, writeOptions }) => {
        const creating = { ...valuesOf(body), ...params }
        const created = await schedules.createFundingSchedule(creating, writeOptions)
        return { message: requirePart(created.fundingSchedule), ...hintsOf(created) }
      },
    }),
    route({
      id: 'updateFundingSchedule',
      tag: 'Funding schedules',
      method: 'PATCH',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules/:fundingScheduleId',
      summary: 'Change a funding schedule; new dates recalculate its expenses and goals',
      description:
        `${patchText} A change of dates recalculates the contributions of all expenses and ` +
        'goals on the schedule, which the answer lists; otherwise spending is empty.',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      tagged: 'fundingSchedule',
      find: ({ params, options }) => schedules.getFundingSchedule(params, options),
      body: change,
      answer: {
        object: {
          fundingSchedule: FundingScheduleSchema,
          spending: { list: SpendingSchema },
          ...hintKeys,
        },
      },
      handler: async ({ params, body, options }) => {
        const update = { ...updateOf(UpdateFundingScheduleRequestSchema, body), ...params }
        const changed = await schedules.updateFundingSchedule(update, options)
        const { fundingSchedule, spending } = changed
        return { fundingSchedule, spending, ...hintsOf(changed) }
      },
    }),
    route({
      id: 'deleteFundingSchedule',
      tag: 'Funding schedules',
      method: 'DELETE',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules/:fundingScheduleId',
      summary: 'Delete a funding schedule that no expense or goal is on',
      description: '400 while an expense or a goal uses it. Transactions that it created are kept.',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      handler: ({ params, options }) => schedules.deleteFundingSchedule(params, options),
    }),
  ]
}
