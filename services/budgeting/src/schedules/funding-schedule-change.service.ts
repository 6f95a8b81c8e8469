import { create } from '@bufbuild/protobuf'
import { notFound } from '@coffer/kit/rpc/errors'
import { patchOf, toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  FundingScheduleSchema,
  type UpdateFundingScheduleRequest,
  UpdateFundingScheduleRequestSchema,
  UpdateFundingScheduleResponseSchema,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { type FundingSchedule, findLiveSchedule } from '../book/funding-schedule.ts'
import { type FundedSpending, withFunding } from '../book/spending.ts'
import type { AsOf } from '../contributions/contribution.ts'
import { describeWritable, onBehalfOf } from '../ledger/ledger.client.ts'
import { type Amounts, withAmounts, withContribution } from '../plans/plan.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { rulesetHints } from '../recurrence/skipped-months.ts'
import {
  changeFundingSchedule,
  type FundingSchedulePatch,
  mayFireOtherwise,
} from './funding-schedule-change.ts'

type Deps = Pick<ServiceDeps, 'mesh' | 'clock'> & Pick<PlanWriter, 'write'>

/**
 * Changes a schedule; if its dates change, recalculates the contributions of its plans in the same
 * save. Returns the changed rows. Throws notFound, and the refusals of `changeFundingSchedule`.
 */
export async function updateFundingSchedule(
  deps: Deps,
  request: UpdateFundingScheduleRequest,
  context: HandlerContext,
) {
  const { bankAccountId, fundingScheduleId } = request
  const { accountId, timezone } = callerOf(context)
  const patch = patchOf(UpdateFundingScheduleRequestSchema, request) as FundingSchedulePatch
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const [{ isManualLink }, held] = await Promise.all([
    describeWritable(deps, bankAccountId, context),
    mayFireOtherwise(patch) ? ledger.listEnvelopes({ bankAccountId }, onBehalfOf(context)) : null,
  ])
  const asOf = { timezone, now: deps.clock() }
  const byId = new Map(held?.envelopes.map((each) => [each.spendingId, each]))
  return deps.write({
    timezone,
    scope: { accountId, bankAccountId, plansOnIds: [fundingScheduleId] },
    signal: context.signal,
    decide: ({ schedules, plans }) => {
      const current = findLiveSchedule(schedules, fundingScheduleId)
      if (!current) throw notFound('funding schedule')
      requireMatch(context, FundingScheduleSchema, toMessage(FundingScheduleSchema, current))
      const where = { ...asOf, isManualLink }
      const { schedule, firesOtherwise } = changeFundingSchedule(current, patch, where)
      const changed = firesOtherwise ? recalculatePlans(plans, { schedule, byId, asOf }) : []
      // A plan without an envelope is being created or deleted; the reply leaves it out.
      const shown = changed.filter(({ spendingId }) => byId.has(spendingId))
      const reply = create(UpdateFundingScheduleResponseSchema, {
        fundingSchedule: toMessage(FundingScheduleSchema, schedule),
        spending: shown.map((plan) => toMessage(SpendingSchema, plan)),
        hints: patch.ruleset ? rulesetHints(schedule.ruleset, asOf) : [],
      })
      return { reply, schedules: [schedule], plans: changed }
    },
  })
}

/** Returns the open plans on the schedule, paused ones included, with new contributions. */
function recalculatePlans(
  plans: readonly FundedSpending[],
  by: { schedule: FundingSchedule; byId: ReadonlyMap<string, Amounts>; asOf: AsOf },
): FundedSpending[] {
  const { schedule, byId, asOf } = by
  const isOn = ({ state, fundingScheduleId }: FundedSpending) =>
    state === 'open' && fundingScheduleId === schedule.fundingScheduleId
  return plans.filter(isOn).map((one) => {
    const plan = withAmounts(withFunding(one, schedule), byId.get(one.spendingId), asOf)
    return withContribution(plan, asOf)
  })
}
