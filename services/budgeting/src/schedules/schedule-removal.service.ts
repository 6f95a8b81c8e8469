import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { FundingScheduleSchema } from '@coffer/proto/budgeting/v1/funding_schedule'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import type { CallOptions, HandlerContext } from '@connectrpc/connect'
import { findLiveSchedule, type ScheduleKey } from '../book/funding-schedule.ts'
import { describeWritable, onBehalfOf } from '../ledger/ledger.client.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { hasPendingRun } from './funding-schedule.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock' | 'log'> & Pick<PlanWriter, 'write'>

/**
 * Sets `deletedAt` of a schedule, which hides it, then calls `finishRemoval`; if that fails, the
 * sweep job repeats it. Throws notFound, and refused for a schedule that plans use
 * (docs/funding-schedules.md#removal).
 */
export async function deleteFundingSchedule(
  deps: Deps,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
  context: HandlerContext,
): Promise<void> {
  const { write, clock, log } = deps
  const { accountId } = callerOf(context)
  const schedule = { accountId, bankAccountId, fundingScheduleId }
  await describeWritable(deps, bankAccountId, context)
  await write({
    scope: { accountId, bankAccountId, plansOnIds: [fundingScheduleId] },
    decide: ({ schedules, plans }) => {
      const found = findLiveSchedule(schedules, fundingScheduleId)
      if (!found) {
        const text = say('SCHEDULE_GONE')
        throw notFound('funding schedule', text)
      }
      requireMatch(context, FundingScheduleSchema, toMessage(FundingScheduleSchema, found))
      if (plans.some((plan) => plan.fundingScheduleId === fundingScheduleId)) {
        throw refused(say('SCHEDULE_IN_USE'))
      }
      return { reply: undefined, schedules: [{ ...found, deletedAt: clock() }] }
    },
  })
  try {
    await finishRemoval(deps, schedule, onBehalfOf(context))
  } catch (error) {
    log.warn({ err: error, ...schedule }, 'the sweep will finish the deletion of a schedule')
  }
}

/**
 * Finishes the deletion of a schedule with `deletedAt`: removes the ledger's references to it, then
 * deletes its row. Does nothing while a funding run of the schedule is pending, since the booking
 * of the run refers to the schedule. Idempotent.
 */
export async function finishRemoval(
  { database, mesh, write }: Pick<Deps, 'database' | 'mesh' | 'write'>,
  schedule: ScheduleKey,
  options: CallOptions,
): Promise<void> {
  if (await hasPendingRun(database, schedule)) return
  const { bankAccountId, fundingScheduleId } = schedule
  const transactions = mesh.client('ledger', TransactionService)
  await transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, options)
  await write({
    scope: { ...schedule, fundingScheduleIds: [fundingScheduleId] },
    decide: ({ schedules }) => ({
      reply: undefined,
      deletedSchedules: schedules.filter((one) => {
        return one.fundingScheduleId === fundingScheduleId && one.deletedAt !== null
      }),
    }),
  })
}
