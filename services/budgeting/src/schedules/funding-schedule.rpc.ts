import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  type CreateFundingScheduleRequest,
  CreateFundingScheduleResponseSchema,
  FundingScheduleSchema,
  type FundingScheduleService,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { FundingSchedule } from '../book/funding-schedule.ts'
import type { settings } from '../config.ts'
import { describeBankAccount, describeWritable } from '../ledger/ledger.client.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { rulesetHints } from '../recurrence/skipped-months.ts'
import { findFundingSchedule, listFundingSchedules } from './funding-schedule.sql.ts'
import { updateFundingSchedule } from './funding-schedule-change.service.ts'
import { newFundingSchedule } from './funding-schedule-creation.ts'
import { deleteFundingSchedule } from './schedule-removal.service.ts'

type Deps = Pick<PlanWriter, 'write'> &
  Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'mesh' | 'clock' | 'log'>

/** Returns the RPC handlers of funding schedules (docs/funding-schedules.md). */
export function fundingScheduleRoutes(deps: Deps): ServiceImpl<typeof FundingScheduleService> {
  const { database } = deps
  return {
    listFundingSchedules: async ({ bankAccountId }, context) => {
      const { accountId } = callerOf(context)
      const [schedules] = await Promise.all([
        listFundingSchedules(database, { accountId, bankAccountId }),
        describeBankAccount(deps, bankAccountId, context),
      ])
      return { fundingSchedules: schedules.map((one) => toMessage(FundingScheduleSchema, one)) }
    },
    getFundingSchedule: async ({ bankAccountId, fundingScheduleId }, context) => {
      const { accountId } = callerOf(context)
      const [schedule] = await Promise.all([
        findFundingSchedule(database, { accountId, bankAccountId }, fundingScheduleId),
        describeBankAccount(deps, bankAccountId, context),
      ])
      if (!schedule) throw notFound('funding schedule')
      return { fundingSchedule: toMessage(FundingScheduleSchema, schedule) }
    },
    createFundingSchedule: (request, context) => createFundingSchedule(deps, request, context),
    updateFundingSchedule: (request, context) => updateFundingSchedule(deps, request, context),
    deleteFundingSchedule: async (request, context) => {
      await deleteFundingSchedule(deps, request, context)
      return {}
    },
  }
}

async function createFundingSchedule(
  deps: Deps,
  request: CreateFundingScheduleRequest,
  context: HandlerContext,
) {
  const { config, database, clock, write } = deps
  return once({ database, context, reply: CreateFundingScheduleResponseSchema }, async (key) => {
    const { accountId, timezone } = callerOf(context)
    const { bankAccountId } = request
    const { isManualLink } = await describeWritable(deps, bankAccountId, context)
    const now = clock()
    const schedule: FundingSchedule = {
      ...newFundingSchedule(readInput(request), { timezone, now, isManualLink }),
      accountId,
      bankAccountId,
      fundingScheduleId: newId('fund'),
      createdAt: now,
    }
    return write({
      scope: { accountId, bankAccountId, countsSchedules: true },
      timezone,
      signal: context.signal,
      decide: ({ scheduleCount }) => {
        const max = config.fundingSchedulesMax
        if (scheduleCount >= max) {
          throw refused(say('SCHEDULES_MAX', { max }))
        }
        const reply = create(CreateFundingScheduleResponseSchema, {
          fundingSchedule: toMessage(FundingScheduleSchema, schedule),
          hints: rulesetHints(schedule.ruleset, { timezone, now }),
        })
        return { reply, schedules: [schedule], replies: keptReplies(key, reply) }
      },
    })
  })
}

function readInput(request: CreateFundingScheduleRequest) {
  const { name, ruleset, excludeWeekends, autoCreateTransaction, nextRecurrence } = request
  return {
    name,
    ruleset,
    excludeWeekends,
    autoCreateTransaction,
    description: request.description ?? null,
    estimatedDeposit: request.estimatedDeposit ?? null,
    nextRecurrence: nextRecurrence ? timestampDate(nextRecurrence) : null,
  }
}
