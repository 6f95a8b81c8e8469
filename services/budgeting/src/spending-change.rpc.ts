import { create } from '@bufbuild/protobuf'
import { notFound, unavailable } from '@coffer/kit/errors'
import { patchOf, toMessage } from '@coffer/kit/message'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  SpendingSchema,
  type UpdateSpendingRequest,
  UpdateSpendingRequestSchema,
  UpdateSpendingResponseSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { describeWritable } from './ledger.client.ts'
import { withAmounts, withContribution } from './plan.ts'
import { shareSchedules } from './plan-schedule.sql.ts'
import { lockPlans, refuseTaken, savePlans } from './spending.sql.ts'
import { changeSpending, type SpendingPatch } from './spending-change.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'>

/** Changes a plan and answers with it and the ledger's amounts. */
export async function updateSpending(
  deps: Deps,
  request: UpdateSpendingRequest,
  context: HandlerContext,
) {
  const { bankAccountId, spendingId } = request
  const { accountId, timezone } = callerOf(context)
  const scope = { accountId, bankAccountId }
  const patch = patchOf(UpdateSpendingRequestSchema, request) as SpendingPatch
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const spendingIds = [spendingId]
  const [{ isManualLink }, { envelopes }] = await Promise.all([
    describeWritable(deps, bankAccountId, context),
    ledger.listEnvelopes({ bankAccountId, spendingIds }, onBehalfOf(context)),
  ])
  const [envelope] = envelopes
  if (!envelope) throw notFound('spending')
  const asOf = { timezone, now: deps.clock() }
  const run = deps.database.transaction(async (tx) => {
    const moveTo = patch.fundingScheduleId ?? null
    const schedules = await shareSchedules(tx, scope, { spendingId, fundingScheduleId: moveTo })
    const [current] = await lockPlans(tx, scope, { spendingId })
    if (!current) throw notFound('spending')
    const { spending, needsContribution } = changeSpending(current, patch, {
      ...asOf,
      isManualLink,
    })
    const funding = schedules.find((one) => one.fundingScheduleId === spending.fundingScheduleId)
    if (!funding && moveTo) throw notFound('funding schedule')
    if (!funding) throw unavailable('the plan was moved to another schedule at the same time')
    const merged = withAmounts({ ...current, ...spending, ...funding }, envelope, asOf)
    const plan = needsContribution ? withContribution(merged, asOf) : merged
    await savePlans(tx, [plan])
    return create(UpdateSpendingResponseSchema, { spending: toMessage(SpendingSchema, plan) })
  })
  return run.catch(refuseTaken)
}
