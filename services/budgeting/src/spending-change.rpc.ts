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
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { describeWritable } from './ledger.client.ts'
import { type AsOf, withAmounts, withContribution } from './plan.ts'
import { type FundingOfPlan, shareSchedules } from './plan-schedule.sql.ts'
import {
  findPlans,
  lockPlans,
  type PlanKey,
  refuseTaken,
  savePlanAsSeen,
  savePlans,
} from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'
import { changeSpending, type SpendingPatch } from './spending-change.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'>

/** What a change is decided by, besides the plan. */
interface Facts {
  patch: SpendingPatch
  envelope: Envelope
  isManualLink: boolean
  asOf: AsOf
}

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
  const [{ isManualLink }, { envelopes }, [seen]] = await Promise.all([
    describeWritable(deps, bankAccountId, context),
    ledger.listEnvelopes({ bankAccountId, spendingIds }, onBehalfOf(context)),
    findPlans(deps.database, scope, spendingIds),
  ])
  const [envelope] = envelopes
  if (!envelope) throw notFound('spending')
  const facts = { patch, envelope, isManualLink, asOf: { timezone, now: deps.clock() } }
  const save = async () =>
    (await saveAsSeen(deps, seen, facts)) ?? saveLocked(deps, { ...scope, spendingId }, facts)
  const plan = await save().catch(refuseTaken)
  return create(UpdateSpendingResponseSchema, { spending: toMessage(SpendingSchema, plan) })
}

/**
 * Saves the change where the plan and its schedule are still as they were read, as they mostly are;
 * null where they are not, or where the plan is moved to a schedule that was not read.
 */
async function saveAsSeen(
  { database }: Deps,
  seen: FundedSpending | undefined,
  facts: Facts,
): Promise<FundedSpending | null> {
  if (seen?.state !== 'open' || facts.patch.fundingScheduleId) return null
  const plan = changedBy(seen, null, facts)
  return (await savePlanAsSeen(database, plan)) ? plan : null
}

async function saveLocked(
  { database }: Deps,
  { spendingId, ...scope }: PlanKey,
  facts: Facts,
): Promise<FundedSpending> {
  const moveTo = facts.patch.fundingScheduleId ?? null
  return database.transaction(async (tx) => {
    const schedules = await shareSchedules(tx, scope, { spendingId, fundingScheduleId: moveTo })
    const [current] = await lockPlans(tx, scope, { spendingId })
    if (!current) throw notFound('spending')
    const fundingScheduleId = moveTo ?? current.fundingScheduleId
    const funding = schedules.find((one) => one.fundingScheduleId === fundingScheduleId)
    if (!funding && moveTo) throw notFound('funding schedule')
    if (!funding) throw unavailable('the plan was moved to another schedule at the same time')
    const plan = changedBy(current, funding, facts)
    await savePlans(tx, [plan])
    return plan
  })
}

/** The plan as it is to be; `funding` is the schedule it then follows, null for the one it has. */
function changedBy(
  current: FundedSpending,
  funding: FundingOfPlan | null,
  { patch, envelope, isManualLink, asOf }: Facts,
): FundedSpending {
  const { spending, needsContribution } = changeSpending(current, patch, { ...asOf, isManualLink })
  const merged = withAmounts({ ...current, ...spending, ...funding }, envelope, asOf)
  return needsContribution ? withContribution(merged, asOf) : merged
}
