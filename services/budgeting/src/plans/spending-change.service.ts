import { create } from '@bufbuild/protobuf'
import { notFound } from '@coffer/kit/rpc/errors'
import { patchOf, toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  SpendingSchema,
  type UpdateSpendingRequest,
  UpdateSpendingRequestSchema,
  UpdateSpendingResponseSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { findLiveSchedule } from '../book/funding-schedule.ts'
import { withFunding } from '../book/spending.ts'
import { describeWritable, onBehalfOf } from '../ledger/ledger.client.ts'
import { rulesetHints } from '../recurrence/skipped-months.ts'
import { withAmounts, withContribution } from './plan.ts'
import { requireNotClosing } from './plan-works.ts'
import { changeSpending, type SpendingPatch } from './spending-change.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps, 'mesh' | 'clock'> & Pick<PlanWriter, 'write'>

/** Changes a plan and returns it. Throws notFound, and the refusals of `changeSpending`. */
export async function updateSpending(
  deps: Deps,
  request: UpdateSpendingRequest,
  context: HandlerContext,
) {
  const { bankAccountId, spendingId } = request
  const { accountId, timezone } = callerOf(context)
  const patch = patchOf(UpdateSpendingRequestSchema, request) as SpendingPatch
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const [{ isManualLink }, { envelopes }] = await Promise.all([
    describeWritable(deps, bankAccountId, context),
    ledger.listEnvelopes({ bankAccountId, spendingIds: [spendingId] }, onBehalfOf(context)),
  ])
  const [envelope] = envelopes
  if (!envelope) throw notFound('spending')
  const moveTo = patch.fundingScheduleId ? [patch.fundingScheduleId] : []
  const asOf = { timezone, now: deps.clock() }
  const plan = await deps.write({
    timezone,
    scope: {
      accountId,
      bankAccountId,
      spendingIds: [spendingId],
      fundingScheduleIds: moveTo,
    },
    signal: context.signal,
    decide: ({ plans, schedules }) => {
      const current = plans.find((one) => one.spendingId === spendingId)
      if (!current) throw notFound('spending')
      requireNotClosing(current, asOf.now)
      requireMatch(context, SpendingSchema, toMessage(SpendingSchema, current))
      const changed = changeSpending(current, patch, { ...asOf, isManualLink })
      const { spending, needsContribution } = changed
      const funding = findLiveSchedule(schedules, spending.fundingScheduleId)
      if (!funding) throw notFound('funding schedule')
      const merged = withAmounts(withFunding(spending, funding), envelope, asOf)
      const reply = needsContribution ? withContribution(merged, asOf) : merged
      return { reply, plans: [reply] }
    },
  })
  const spending = toMessage(SpendingSchema, plan)
  const hints = patch.ruleset ? rulesetHints(plan.ruleset, asOf) : []
  return create(UpdateSpendingResponseSchema, { spending, hints })
}
