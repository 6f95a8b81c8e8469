import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { invalid, notFound, unavailable } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { type IdempotencyKey, keepReply, once, requireSameBody } from '@coffer/kit/idempotency'
import { toMessage } from '@coffer/kit/message'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  type CreateSpendingRequest,
  CreateSpendingResponseSchema,
  SpendingSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { admitPlan } from './ended-bank-account.sql.ts'
import { describeWritable, hasEnvelope } from './ledger.client.ts'
import { adoptOpening, dropOpening, openSpending } from './opening.sql.ts'
import { type AsOf, withAmounts, withContribution } from './plan.ts'
import { shareSchedules } from './plan-schedule.sql.ts'
import { insertSpending, type PlanScope, refuseTaken, savePlans } from './spending.sql.ts'
import { type FundedSpending, type NewSpending, newSpending, type Spending } from './spending.ts'

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
  const { database, clock } = deps
  return once({ database, context, reply: CreateSpendingResponseSchema }, async (key) => {
    const { bankAccountId } = request
    const { accountId, timezone } = callerOf(context)
    const { isManualLink } = await describeWritable(deps, bankAccountId, context)
    const asOf = { timezone, now: clock() }
    const scope = { accountId, bankAccountId }
    const reserved = await reserve(database, { accountId, key }, (tx) =>
      insertPlan(tx, { scope, request, key, asOf, isManualLink }),
    )
    const { spendingId } = reserved
    const envelope = await createEnvelope(deps, reserved, context)
    return database.transaction(async (tx) => {
      const plan = await openPlan(tx, scope, { spendingId, asOf })
      if (!plan) throw unavailable('the spending object was not opened in time')
      const shown = envelope ? withAmounts(plan, envelope, asOf) : plan
      const spending = toMessage(SpendingSchema, shown)
      const reply = create(CreateSpendingResponseSchema, { spending })
      await keepReply(tx, key, reply)
      return reply
    })
  })
}

/** The plan's envelope. Where the ledger refuses it, its bound for one, no plan is left behind. */
async function createEnvelope(deps: Deps, reserved: Spending, context: HandlerContext) {
  const { bankAccountId, spendingId, spendingType } = reserved
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const options = onBehalfOf(context)
  try {
    const opening = { bankAccountId, spendingId, spendingType }
    return (await ledger.openEnvelope(opening, options)).envelope
  } catch (error) {
    // An earlier attempt may have created it. What fails here is left to the sweep.
    const isRefused = ConnectError.from(error).code === Code.FailedPrecondition
    const isLeft = isRefused && !(await hasEnvelope(deps, reserved, options).catch(() => true))
    if (isLeft) await dropOpening(deps.database, reserved)
    throw error
  }
}

/**
 * Opens a plan whose envelope is there, with the contribution as of now: its schedule may have
 * fired or changed since the plan was reserved. Null when the plan is gone.
 */
export async function openPlan(
  tx: Tx,
  scope: PlanScope,
  { spendingId, asOf }: { spendingId: string; asOf: AsOf },
): Promise<FundedSpending | null> {
  const opened = await openSpending(tx, scope, spendingId)
  if (!opened) return null
  const plan = withContribution(opened, asOf)
  const isSame =
    plan.nextContributionAmount === opened.nextContributionAmount &&
    plan.isBehind === opened.isBehind
  if (isSame) return opened
  await savePlans(tx, [plan])
  return plan
}

/** Stores the plan, or finds what an earlier attempt of the same request has stored. */
async function reserve(
  database: Database,
  { accountId, key }: { accountId: string; key: IdempotencyKey | null },
  insert: (tx: Tx) => Promise<Spending>,
): Promise<Spending> {
  try {
    return await database.transaction(insert)
  } catch (error) {
    if (!(error instanceof UniqueIntegrityConstraintViolationError)) throw error
    const first = key && (await adoptOpening(database, accountId, key.key))
    if (!first) return refuseTaken(error)
    if (first.openingBody) requireSameBody(first.openingBody, key.bodyHash)
    return first
  }
}

interface NewPlan {
  scope: PlanScope
  request: CreateSpendingRequest
  key: IdempotencyKey | null
  asOf: AsOf
  isManualLink: boolean
}

async function insertPlan(
  tx: Tx,
  { scope, request, key, asOf, isManualLink }: NewPlan,
): Promise<Spending> {
  const { fundingScheduleId } = request
  await admitPlan(tx, scope.accountId, scope.bankAccountId)
  const [funding] = await shareSchedules(tx, scope, { fundingScheduleId, spendingId: null })
  if (!funding) throw notFound('funding schedule')
  const plan = withContribution(
    {
      ...newSpending(inputOf(request), { ...asOf, isManualLink }),
      ...{ ...scope, ...funding, spendingId: newId('spnd') },
      // An envelope is opened empty, as its first version.
      ...{ currentAmount: 0n, usedAmount: 0n, amountsVersion: 1n },
      ...{ nextContributionAmount: 0n, isBehind: false, lastRecurrence: null },
      ...{ calculatedAt: asOf.now, createdAt: asOf.now, state: 'opening', revision: 1n },
      openingKey: key?.key ?? null,
    },
    asOf,
  )
  await insertSpending(tx, { ...plan, openingBody: key?.bodyHash ?? null })
  return plan
}

function inputOf(request: CreateSpendingRequest): NewSpending {
  const { name, fundingScheduleId, targetAmount, autoCreateTransaction, isPaused } = request
  const { spendingType, nextRecurrence } = request
  if (spendingType !== 'expense' && spendingType !== 'goal') {
    throw invalid({ spendingType: 'Spending type must be expense or goal' })
  }
  return {
    ...{ spendingType, name, fundingScheduleId, targetAmount, autoCreateTransaction, isPaused },
    nextRecurrence: nextRecurrence ? timestampDate(nextRecurrence) : null,
    ruleset: request.ruleset ?? null,
  }
}
