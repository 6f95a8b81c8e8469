import {
  FundingScheduleSchema,
  FundingScheduleService,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import { z } from 'zod'
import {
  boolean,
  ignoringNull,
  name,
  nullOr,
  positiveMoney,
  ruleset,
  text,
  timestamp,
} from '../fields.ts'
import { rendered, renderedAll } from '../rest.ts'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'
import { valuesOf } from '../update.ts'

const creation = z.strictObject({
  name,
  // Blank and null are both no description (spec/budgeting.md 2.3).
  description: nullOr(text)
    .transform((sent) => sent || undefined)
    .optional(),
  ruleset,
  excludeWeekends: boolean.optional(),
  autoCreateTransaction: boolean.optional(),
  estimatedDeposit: ignoringNull(positiveMoney),
  nextRecurrence: ignoringNull(timestamp),
})

/** Funding schedules (spec/interface.md, Funding schedules; spec/budgeting.md 2). */
export function fundingScheduleRoutes({ mesh }: RouteDeps): Route[] {
  const schedules = mesh.client('budgeting', FundingScheduleService)
  return [
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules',
      summary: 'Funding schedules of a bank account',
      auth: 'key',
      answer: { list: FundingScheduleSchema },
      handler: async ({ params, options }) => {
        const { fundingSchedules } = await schedules.listFundingSchedules(params, options)
        return renderedAll(FundingScheduleSchema, fundingSchedules)
      },
    }),
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules/:fundingScheduleId',
      summary: 'One funding schedule',
      auth: 'key',
      answer: FundingScheduleSchema,
      handler: async ({ params, options }) => {
        const { fundingSchedule } = await schedules.getFundingSchedule(params, options)
        return rendered(FundingScheduleSchema, fundingSchedule)
      },
    }),
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/funding_schedules',
      summary: 'Create a funding schedule',
      auth: 'key',
      idempotent: true,
      body: creation,
      answer: FundingScheduleSchema,
      handler: async ({ params, body, writeOptions }) => {
        const creating = { ...valuesOf(body), ...params }
        const { fundingSchedule } = await schedules.createFundingSchedule(creating, writeOptions)
        return rendered(FundingScheduleSchema, fundingSchedule)
      },
    }),
  ]
}
