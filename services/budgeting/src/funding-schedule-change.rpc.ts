import { create } from '@bufbuild/protobuf'
import type { Transaction as Tx } from '@coffer/kit/database'
import { notFound } from '@coffer/kit/errors'
import { patchOf, toMessage } from '@coffer/kit/message'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  FundingScheduleSchema,
  type UpdateFundingScheduleRequest,
  UpdateFundingScheduleRequestSchema,
  UpdateFundingScheduleResponseSchema,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { lockSchedule } from './advance.sql.ts'
import { refuseTaken, saveFundingSchedule } from './funding-schedule.sql.ts'
import type { FundingSchedule } from './funding-schedule.ts'
import {
  changeFundingSchedule,
  type FundingSchedulePatch,
  mayFireOtherwise,
} from './funding-schedule-change.ts'
import { describeWritable } from './ledger.client.ts'
import { type Amounts, type AsOf, withAmounts, withContribution } from './plan.ts'
import { lockPlans, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'>

/**
 * Changes a schedule and, where it fires at other dates thereby, the contributions of all its
 * envelopes: as many statements for fifty of them as for one.
 */
export async function updateFundingSchedule(
  deps: Deps,
  request: UpdateFundingScheduleRequest,
  context: HandlerContext,
) {
  const { bankAccountId, fundingScheduleId } = request
  const { accountId, timezone } = callerOf(context)
  const scope = { accountId, bankAccountId }
  const patch = patchOf(UpdateFundingScheduleRequestSchema, request) as FundingSchedulePatch
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const [{ isManualLink }, held] = await Promise.all([
    describeWritable(deps, bankAccountId, context),
    mayFireOtherwise(patch) ? ledger.listEnvelopes({ bankAccountId }, onBehalfOf(context)) : null,
  ])
  const asOf = { timezone, now: deps.clock() }
  const run = deps.database.transaction(async (tx) => {
    const current = await lockSchedule(tx, scope, fundingScheduleId)
    if (!current) throw notFound('funding schedule')
    const where = { ...asOf, isManualLink }
    const { schedule, firesOtherwise } = changeFundingSchedule(current, patch, where)
    await saveFundingSchedule(tx, schedule)
    const amounts = held?.envelopes ?? []
    const plans = firesOtherwise ? await recalculate(tx, { schedule, amounts, asOf }) : []
    return create(UpdateFundingScheduleResponseSchema, {
      fundingSchedule: toMessage(FundingScheduleSchema, schedule),
      spending: plans.map((plan) => toMessage(SpendingSchema, plan)),
    })
  })
  return run.catch(refuseTaken)
}

/** Gives the plans on the schedule their new contributions, paused ones too. */
async function recalculate(
  tx: Tx,
  by: { schedule: FundingSchedule; amounts: readonly Amounts[]; asOf: AsOf },
): Promise<FundedSpending[]> {
  const { schedule, amounts, asOf } = by
  const { fundingScheduleId } = schedule
  const byId = new Map(amounts.map((each) => [each.spendingId, each]))
  const plans = await lockPlans(tx, schedule, { fundingScheduleId })
  const changed = plans.map((plan) => {
    const envelope = byId.get(plan.spendingId)
    return withContribution(envelope ? withAmounts(plan, envelope, asOf) : plan, asOf)
  })
  await savePlans(tx, changed)
  // One without an envelope was opened or closed just now, and is not shown.
  return changed.filter(({ spendingId }) => byId.has(spendingId))
}
