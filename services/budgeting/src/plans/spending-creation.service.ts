import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import {
  type IdempotencyKey,
  keptReplies,
  once,
  requireSameRequest,
} from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound, unavailable } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  type CreateSpendingRequest,
  type CreateSpendingResponse,
  CreateSpendingResponseSchema,
  SpendingSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { findLiveSchedule } from '../book/funding-schedule.ts'
import { type FundedSpending, Spending, withFunding } from '../book/spending.ts'
import type { settings } from '../config.ts'
import type { AsOf } from '../contributions/contribution.ts'
import { describeWritable, findAfterFailure, onBehalfOf } from '../ledger/ledger.client.ts'
import { rulesetHints } from '../recurrence/skipped-months.ts'
import { withContribution } from './plan.ts'
import { completeCreation, openPlan, withdrawCreation } from './plan-works.ts'
import { type NewSpending, newSpending } from './spending-creation.ts'
import type { Work } from './unit-of-work.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'database' | 'mesh' | 'clock' | 'log' | 'config'> &
  Pick<PlanWriter, 'write'>

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
  const { database, clock, config } = deps
  return once({ database, context, reply: CreateSpendingResponseSchema }, async (key) => {
    const { bankAccountId } = request
    const { accountId, timezone } = callerOf(context)
    const { isManualLink } = await describeWritable(deps, bankAccountId, context)
    const asOf = { timezone, now: clock() }
    const scope = { accountId, bankAccountId }
    const input = readInput(request, config)
    const plan = await deps.write(reservePlan({ scope, input, key, asOf, isManualLink }))
    const envelope = await createEnvelope(deps, plan, context)
    const reply = await completePlan(deps, { plan, envelope, asOf, key })
    if (!reply) throw unavailable(say('DELETED_MEANWHILE'))
    return reply
  })
}

/**
 * Creates the plan's envelope in the ledger. If there is none afterwards, deletes the plan, so that
 * nothing is left, and throws the error.
 */
async function createEnvelope(deps: Deps, reserved: Spending, context: HandlerContext) {
  const { bankAccountId, spendingId, spendingType } = reserved
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const options = onBehalfOf(context)
  try {
    const created = await ledger.openEnvelope({ bankAccountId, spendingId, spendingType }, options)
    return created.envelope
  } catch (error) {
    // This call, or that of an earlier attempt, may have created the envelope although it failed.
    const envelope = await findAfterFailure(deps, reserved, { error, options })
    if (envelope && isOutage(error)) return envelope
    if (!envelope) await withdraw(deps, reserved)
    throw error
  }
}

/** Deletes the plan of a creation that failed; if that fails too, the sweep job repeats it. */
async function withdraw({ write, log }: Deps, reserved: Spending): Promise<void> {
  try {
    await write(withdrawCreation(reserved))
  } catch (error) {
    const { spendingId } = reserved
    log.warn({ err: error, spendingId }, 'the sweep will delete the plan of a failed creation')
  }
}

/**
 * Completes the creation of a plan whose envelope exists; null if the plan is deleted. A plan with
 * an envelope is shown in either state, so an outage of the database does not fail the request: the
 * sweep job completes the plan then.
 */
async function completePlan(
  { write, log }: Deps,
  { plan, envelope, asOf, key }: Creation,
): Promise<CreateSpendingResponse | null> {
  const answer = (created: FundedSpending) => {
    const spending = toMessage(SpendingSchema, created)
    const hints = rulesetHints(created.ruleset, asOf)
    return create(CreateSpendingResponseSchema, { spending, hints })
  }
  try {
    return await write(
      completeCreation({ plan, asOf, amounts: envelope }, (created) => {
        const reply = answer(created)
        return { reply, replies: keptReplies(key, reply) }
      }),
    )
  } catch (error) {
    if (!isOutage(error)) throw error
    const { spendingId } = plan
    log.warn({ err: error, spendingId }, 'the sweep will complete the creation of a plan')
    return answer(openPlan(plan, envelope, asOf))
  }
}

interface Creation {
  plan: FundedSpending
  envelope: Envelope | undefined
  asOf: AsOf
  key: IdempotencyKey | null
}

interface NewPlan {
  scope: BankAccountKey
  input: NewSpending
  key: IdempotencyKey | null
  asOf: AsOf
  isManualLink: boolean
}

/**
 * Returns the `Work` that stores the plan. If an earlier attempt of the request has stored it,
 * raises `openingAttempts`, so that the earlier attempt cannot delete the plan.
 */
function reservePlan({ scope, input, key, asOf, isManualLink }: NewPlan): Work<FundedSpending> {
  const { fundingScheduleId } = input
  const spendingId = newId('spnd')
  return {
    scope: { ...scope, fundingScheduleIds: [fundingScheduleId], openingKey: key?.key ?? null },
    timezone: asOf.timezone,
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
        ...newSpending(input, { ...asOf, isManualLink }),
        ...scope,
        spendingId,
        // An envelope is created empty, with version 1.
        currentAmount: 0n,
        usedAmount: 0n,
        periodSpentAmount: 0n,
        periodSpentOn: null,
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
        settledFor: null,
        settledAt: null,
        settledByRequest: false,
        graceUntil: null,
        graceAmount: 0n,
      }
      const plan = withContribution(withFunding(entity, funding), asOf)
      return { reply: plan, plans: [plan] }
    },
  }
}

function readInput(
  request: CreateSpendingRequest,
  { expenseSettlesWhenSpent, expenseGraceDays }: Deps['config'],
): NewSpending {
  const { name, fundingScheduleId, targetAmount, autoCreateTransaction, isPaused } = request
  const { nextRecurrence } = request
  const spendingType = Spending.shape.spendingType.safeParse(request.spendingType)
  if (!spendingType.success) {
    throw invalid({ spendingType: say('SPENDING_TYPE') })
  }
  const isExpense = spendingType.data === 'expense'
  const ofExpenses = ['settlesWhenSpent', 'graceDays', 'carryOver'] as const
  const unexpected = isExpense ? [] : ofExpenses.filter((key) => request[key])
  if (unexpected.length > 0) {
    throw invalid(Object.fromEntries(unexpected.map((key) => [key, say('KEY_UNKNOWN')])))
  }
  return {
    spendingType: spendingType.data,
    name,
    fundingScheduleId,
    targetAmount,
    autoCreateTransaction,
    isPaused,
    graceDays: isExpense ? (request.graceDays ?? expenseGraceDays) : 0,
    carryOver: isExpense ? (request.carryOver ?? null) : null,
    settlesWhenSpent: isExpense && (request.settlesWhenSpent ?? expenseSettlesWhenSpent),
    nextRecurrence: nextRecurrence ? timestampDate(nextRecurrence) : null,
    ruleset: request.ruleset ?? null,
  }
}
