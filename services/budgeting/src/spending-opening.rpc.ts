import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { duplicate, invalid, notFound, unavailable } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { keepReply, keptForHours, once } from '@coffer/kit/idempotency'
import { toMessage } from '@coffer/kit/message'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import { hourMs } from '@coffer/kit/time'
import {
  type CreateSpendingRequest,
  CreateSpendingResponseSchema,
  SpendingSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { admitPlan } from './ended-bank-account.sql.ts'
import { findFundingSchedule } from './funding-schedule.sql.ts'
import { describeWritable } from './ledger.client.ts'
import { withContribution } from './plan.ts'
import { findOpening, insertSpending, openSpending } from './spending.sql.ts'
import { type NewSpending, newSpending, type Spending } from './spending.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'>

/**
 * Opens a spending object in three steps, each of which may be repeated (design 4): the plan,
 * which nobody sees yet, then its envelope in the ledger, then the plan is open. A request that
 * comes again under its key goes on where the first one stopped.
 */
export async function createSpending(
  deps: Deps,
  request: CreateSpendingRequest,
  context: HandlerContext,
) {
  const { database, mesh } = deps
  return once({ database, context, reply: CreateSpendingResponseSchema }, async (key) => {
    const plan = await reserve(deps, await decide(deps, request, context, key?.key ?? null))
    const { accountId, bankAccountId, spendingId, spendingType } = plan
    const scope = { accountId, bankAccountId }
    const ledger = mesh.client('ledger', EnvelopeService)
    const opening = { bankAccountId, spendingId, spendingType }
    await ledger.openEnvelope(opening, onBehalfOf(context))
    const spending = toMessage(SpendingSchema, plan)
    const reply = create(CreateSpendingResponseSchema, { spending })
    return database.transaction(async (tx) => {
      const isThere = await openSpending(tx, scope, spendingId)
      if (!isThere) throw unavailable('the spending object was not opened in time')
      await keepReply(tx, key, reply)
      return reply
    })
  })
}

async function decide(
  deps: Deps,
  request: CreateSpendingRequest,
  context: HandlerContext,
  openingKey: string | null,
): Promise<Spending> {
  const { accountId, timezone } = callerOf(context)
  const { bankAccountId, fundingScheduleId } = request
  const [schedule, { isManualLink }] = await Promise.all([
    findFundingSchedule(deps.database, accountId, { bankAccountId, fundingScheduleId }),
    describeWritable(deps, bankAccountId, context),
  ])
  if (!schedule) throw notFound('funding schedule')
  const now = deps.clock()
  return withContribution(
    {
      ...newSpending(inputOf(request), { timezone, now, isManualLink }),
      ...{ accountId, bankAccountId, spendingId: newId('spnd') },
      // An envelope is opened empty, as its first version.
      ...{ currentAmount: 0n, usedAmount: 0n, amountsVersion: 1n },
      ...{ nextContributionAmount: 0n, isBehind: false, lastRecurrence: null },
      ...{ calculatedAt: now, createdAt: now, state: 'opening', openingKey, revision: 1n },
      fundingRuleset: schedule.ruleset,
      fundingExcludesWeekends: schedule.excludeWeekends,
      fundingNextRecurrence: schedule.nextRecurrence,
    },
    { timezone, now },
  )
}

function inputOf(request: CreateSpendingRequest): NewSpending {
  const { name, fundingScheduleId, targetAmount, autoCreateTransaction, isPaused } = request
  const { spendingType, nextRecurrence } = request
  if (spendingType !== 'expense' && spendingType !== 'goal') {
    throw invalid({ spendingType: 'Spending type must be expense or goal' })
  }
  if (!nextRecurrence) throw invalid({ nextRecurrence: 'Next recurrence is required' })
  return {
    ...{ spendingType, name, fundingScheduleId, targetAmount, autoCreateTransaction, isPaused },
    nextRecurrence: timestampDate(nextRecurrence),
    ruleset: request.ruleset ?? null,
  }
}

/** Stores the plan, or finds what an earlier attempt of the same request has stored. */
async function reserve({ database }: Deps, plan: Spending): Promise<Spending> {
  const { accountId, bankAccountId, openingKey } = plan
  try {
    await database.transaction(async (tx) => {
      await admitPlan(tx, accountId, bankAccountId)
      await insertSpending(tx, plan)
    })
    return plan
  } catch (error) {
    const isTaken = error instanceof UniqueIntegrityConstraintViolationError
    if (!isTaken || error.constraint !== 'spending_name') throw error
    const since = new Date(plan.createdAt.getTime() - keptForHours * hourMs)
    const scope = { accountId, bankAccountId }
    const first = openingKey ? await findOpening(database, scope, { openingKey, since }) : null
    if (!first) throw duplicate('spending')
    return first
  }
}
