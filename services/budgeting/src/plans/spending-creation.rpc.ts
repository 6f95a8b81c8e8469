import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import {
  type IdempotencyKey,
  keptReplies,
  once,
  requireSameRequest,
} from '@coffer/kit/database/idempotency'
import { invalid, notFound, unavailable } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  type CreateSpendingRequest,
  CreateSpendingResponseSchema,
  SpendingSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { describeWritable, hasEnvelope, onBehalfOf } from '../ledger/ledger.client.ts'
import { findLiveSchedule } from '../schedules/funding-schedule.ts'
import { type AsOf, withContribution } from './plan.ts'
import { completeCreation, withdrawCreation } from './plan-works.ts'
import { type NewSpending, newSpending, type Spending, withFunding } from './spending.ts'
import type { Work } from './unit-of-work.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'> & Pick<PlanWriter, 'write'>

/**
 * Creates a spending object in three idempotent steps: plan `opening`, envelope in the ledger, plan
 * `open`. A repeated request continues after the last completed step
 * (docs/plans.md#creating-changing-and-deleting).
 */
export async function createSpending(
  deps: Deps,
  request: CreateSpendingRequest,
  context: HandlerContext,
) {
  const { database, clock } = deps
  return once({ database, context, reply: CreateSpendingResponseSchema }, async (key) => {
    const { bankAccountId } = request
    const { accountId, timezone } = callerOf(context)
    const { isManualLink } = await describeWritable(deps, bankAccountId, context)
    const asOf = { timezone, now: clock() }
    const scope = { accountId, bankAccountId }
    const plan = await deps.write(reservePlan({ scope, request, key, asOf, isManualLink }))
    const envelope = await createEnvelope(deps, plan, context)
    const reply = await deps.write(
      completeCreation({ plan, asOf, amounts: envelope }, (created) => {
        const spending = toMessage(SpendingSchema, created)
        const message = create(CreateSpendingResponseSchema, { spending })
        return { reply: message, replies: keptReplies(key, message) }
      }),
    )
    if (!reply)
      throw unavailable('the spending object was deleted during its creation: repeat the request')
    return reply
  })
}

/** Creates the plan's envelope in the ledger; if the ledger refuses, deletes the plan. */
async function createEnvelope(deps: Deps, reserved: Spending, context: HandlerContext) {
  const { bankAccountId, spendingId, spendingType } = reserved
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const options = onBehalfOf(context)
  try {
    const created = await ledger.openEnvelope({ bankAccountId, spendingId, spendingType }, options)
    return created.envelope
  } catch (error) {
    // An earlier attempt may have created the envelope, so the ledger is asked before the plan is
    // deleted. If this call fails, the sweep job repeats it.
    const isRefused = ConnectError.from(error).code === Code.FailedPrecondition
    const hasNone = isRefused && !(await hasEnvelope(deps, reserved, options).catch(() => true))
    if (hasNone) await deps.write(withdrawCreation(reserved))
    throw error
  }
}

interface NewPlan {
  scope: BankAccountKey
  request: CreateSpendingRequest
  key: IdempotencyKey | null
  asOf: AsOf
  isManualLink: boolean
}

/**
 * Returns the `Work` that stores the plan. If an earlier attempt of the request has stored it,
 * raises `openingAttempts`, so that the earlier attempt cannot delete the plan.
 */
function reservePlan({ scope, request, key, asOf, isManualLink }: NewPlan): Work<Spending> {
  const { fundingScheduleId } = request
  const spendingId = newId('spnd')
  return {
    scope: { ...scope, fundingScheduleIds: [fundingScheduleId], openingKey: key?.key ?? null },
    decide: ({ plans, schedules }) => {
      const first = key && plans.find(({ openingKey }) => openingKey === key.key)
      if (first) {
        if (first.openingBody) requireSameRequest(first.openingBody, key.bodyHash)
        if (first.state === 'open') return { reply: first }
        const adopted = { ...first, openingAttempts: first.openingAttempts + 1n }
        return { reply: adopted, plans: [adopted] }
      }
      const funding = findLiveSchedule(schedules, fundingScheduleId)
      if (!funding) throw notFound('funding schedule')
      const entity: Spending = {
        ...newSpending(readInput(request), { ...asOf, isManualLink }),
        ...scope,
        spendingId,
        // An envelope is created empty, with version 1.
        currentAmount: 0n,
        usedAmount: 0n,
        amountsVersion: 1n,
        nextContributionAmount: 0n,
        isBehind: false,
        lastRecurrence: null,
        calculatedAt: asOf.now,
        createdAt: asOf.now,
        state: 'opening',
        openingAttempts: 1n,
        openingKey: key?.key ?? null,
        openingBody: key?.bodyHash ?? null,
        closingUntil: null,
      }
      const plan = withContribution(withFunding(entity, funding), asOf)
      return { reply: plan, plans: [plan] }
    },
  }
}

function readInput(request: CreateSpendingRequest): NewSpending {
  const { name, fundingScheduleId, targetAmount, autoCreateTransaction, isPaused } = request
  const { spendingType, nextRecurrence } = request
  if (spendingType !== 'expense' && spendingType !== 'goal') {
    throw invalid({ spendingType: 'Spending type must be expense or goal' })
  }
  return {
    spendingType,
    name,
    fundingScheduleId,
    targetAmount,
    autoCreateTransaction,
    isPaused,
    nextRecurrence: nextRecurrence ? timestampDate(nextRecurrence) : null,
    ruleset: request.ruleset ?? null,
  }
}
