import { timestampDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Workers } from '@coffer/kit/service/workers'
import { isExact } from '@coffer/kit/values/money'
import { readRuleset } from '@coffer/kit/values/ruleset'
import {
  type EstimateCostRequest,
  ForecastSchema,
  type ForecastService,
} from '@coffer/proto/budgeting/v1/forecast'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { FundedSpending, ListedSpending } from '../book/spending.ts'
import type { settings } from '../config.ts'
import { isSettled } from '../contributions/due-dates.ts'
import { type ForecastPlan, forecastPlanOf } from '../contributions/forecast-envelope.ts'
import { withSettledBill } from '../contributions/settled-bill.ts'
import { describeBankAccount, onBehalfOf } from '../ledger/ledger.client.ts'
import { withAmounts } from '../plans/plan.ts'
import { getPresentPlan } from '../plans/present-plan.service.ts'
import { type FindPlans, listSpending } from '../plans/spending.sql.ts'
import { renderRuleset } from '../recurrence/ruleset-text.ts'
import { rulesetHints } from '../recurrence/skipped-months.ts'
import { findFundingSchedule, listFundingSchedules } from '../schedules/funding-schedule.sql.ts'
import {
  estimateSize,
  type Forecast,
  type ForecastInput,
  forecast,
  forecastEnd,
  forecastEndOfDay,
  isExactForecast,
} from './forecast.ts'
import {
  createNextFundingInput,
  estimateCost,
  estimateNextFundings,
  findNextContribution,
} from './forecast-questions.ts'

/** Worker threads for large forecasts, which would block the event loop. */
export type Forecasters = Workers<ForecastInput, Forecast>

type Deps = Pick<ServiceDeps<typeof settings>, 'database' | 'mesh' | 'clock' | 'config'> & {
  forecasters: Forecasters
  findPlans: FindPlans
}

/** Forecasts with up to this number of events are calculated on the event loop, in a few ms. */
const sizeInPlaceMax = 2500
const sizeMax = 100_000
const sizeProblems = {
  end: say('FORECAST_EVENTS'),
  fundingScheduleId: say('FUNDING_TOO_LATE'),
}
const outOfRange = say('SUM_RANGE')

/** Returns the RPC handlers of forecasts; all are read-only (docs/forecast.md). */
export function forecastRoutes(deps: Deps): ServiceImpl<typeof ForecastService> {
  const { database, clock } = deps
  return {
    getForecast: async ({ bankAccountId, end, endDay }, context) => {
      const { timezone, locale } = callerOf(context)
      const now = clock()
      const asked =
        endDay === undefined
          ? forecastEnd(end ? timestampDate(end) : null, now)
          : forecastEndOfDay(endDay, { timezone, now })
      const { plans, schedules, balances } = await load(deps, bankAccountId, context)
      const { free = 0n, currency = '' } = balances ?? {}
      const input = { plans, schedules, timezone, now, end: asked, free }
      const found = await calculate(deps, { input, field: 'end', signal: context.signal })
      if (!isExactForecast(found)) throw invalid({ end: say('FORECAST_RANGE') })
      const scheduleNames = schedules.map((one) => [one.fundingScheduleId, one.name])
      const spendingNames = plans.map((one) => [one.spendingId, one.name])
      return {
        forecast: toMessage(ForecastSchema, found),
        labels: {
          currency,
          timezone,
          locale,
          scheduleNames: Object.fromEntries(scheduleNames),
          spendingNames: Object.fromEntries(spendingNames),
        },
      }
    },
    getNextContribution: async ({ bankAccountId, fundingScheduleId }, context) => {
      const { timezone } = callerOf(context)
      const { plans, schedules } = await load(deps, bankAccountId, context)
      const schedule = schedules.find((one) => one.fundingScheduleId === fundingScheduleId)
      if (!schedule) throw notFound('funding schedule')
      const input = createNextFundingInput(schedule, { plans, timezone, now: clock() })
      if (!input) return { nextContribution: 0n }
      const asked = { input, field: 'fundingScheduleId', signal: context.signal } as const
      const next = findNextContribution(await calculate(deps, asked))
      if (!isExact(next)) throw invalid({ fundingScheduleId: outOfRange })
      return { nextContribution: next }
    },
    estimateCost: async (request, context) => {
      const { accountId, timezone } = callerOf(context)
      const plan = readPlan(request)
      const [schedule, present] = await Promise.all([
        findFundingSchedule(database, { ...request, accountId }, request.fundingScheduleId),
        findPresent(deps, request, context),
        describeBankAccount(deps, request.bankAccountId, context),
      ])
      if (!schedule) throw notFound('funding schedule')
      const asOf = { timezone, now: clock() }
      const hints = rulesetHints(plan.ruleset, asOf)
      const { fundingScheduleId } = schedule
      const held = request.currentAmount || (present?.currentAmount ?? 0n)
      const cost = { ...plan, currentAmount: held, usedAmount: 0n }
      const planned = present
        ? changedPlan(present, { ...plan, fundingScheduleId }, { request, now: asOf.now })
        : { ...cost, spendingId: '', fundingScheduleId }
      const [next] = estimateNextFundings([{ ...schedule, plans: [planned] }], asOf)
      return {
        estimatedCost: estimateCost(cost, schedule, timezone),
        hints,
        ...(next && { nextContribution: next.contribution }),
      }
    },
  }
}

/**
 * Returns the plan of `spendingId` with the ledger's amounts, null for a request without this ID.
 * Throws notFound, and invalid if the plan is a goal and the request has a rule, or the reverse.
 */
async function findPresent(
  deps: Deps,
  { bankAccountId, spendingId, recurrenceRule }: EstimateCostRequest,
  context: HandlerContext,
): Promise<FundedSpending | null> {
  if (spendingId === undefined) return null
  const plan = await getPresentPlan(deps, { bankAccountId, spendingId }, context)
  const isGoal = plan.ruleset === null
  if (isGoal !== (recurrenceRule === undefined)) {
    throw invalid({ recurrenceRule: say(isGoal ? 'RULE_OF_GOAL' : 'RULE_REQUIRED') })
  }
  return plan
}

type Stated = Pick<
  FundedSpending,
  'targetAmount' | 'nextRecurrence' | 'ruleset' | 'fundingScheduleId'
>

/**
 * Returns the plan as a PATCH of the stated fields would leave it, as input of a forecast. An
 * unchanged plan keeps its stored contribution.
 */
function changedPlan(
  present: FundedSpending,
  stated: Stated,
  { request, now }: { request: EstimateCostRequest; now: Date },
): ForecastPlan {
  const { currentAmount } = request
  const own = currentAmount === 0n ? {} : { currentAmount, graceAmount: 0n }
  const isChanged =
    currentAmount !== 0n ||
    stated.targetAmount !== present.targetAmount ||
    stated.ruleset !== present.ruleset ||
    stated.fundingScheduleId !== present.fundingScheduleId ||
    stated.nextRecurrence.getTime() !== present.nextRecurrence.getTime()
  const changed = withSettledBill({ ...present, ...stated, ...own }, now)
  return isChanged ? forecastPlanOf(changed) : forecastPlanOf(changed, changed)
}

/**
 * Loads schedules, balances, and plans with their amounts. Leaves out plans that are paused or have
 * no envelope.
 */
async function load(
  { database, mesh, clock, config }: Deps,
  bankAccountId: string,
  context: HandlerContext,
) {
  const { accountId, timezone } = callerOf(context)
  const options = onBehalfOf(context)
  const [schedules, open, { envelopes }, { balances }] = await Promise.all([
    listFundingSchedules(database, { accountId, bankAccountId }),
    listSpending(database, { accountId, bankAccountId }),
    mesh
      .client('ledger', EnvelopeService)
      .listEnvelopes({ bankAccountId, withOverspent: true }, options),
    mesh.client('ledger', BankAccountService).getBalances({ bankAccountId }, options),
  ])
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  const asOf = { timezone, now: clock() }
  const plans = open.flatMap((plan) => {
    const envelope = plan.isPaused ? undefined : byId.get(plan.spendingId)
    if (!envelope) return []
    const present = withSettledBill(withAmounts(plan, envelope, asOf), asOf.now)
    const isCounted = isSpentFreely(present, config.expenseCarryOver)
    const overspentAmount = isCounted ? (envelope.periodOverspent ?? 0n) : 0n
    return [{ ...forecastPlanOf(present, present), overspentAmount, name: plan.name }]
  })
  return { schedules, plans, balances }
}

/**
 * Returns whether all payments of an expense since its last due date are for the next one: it keeps
 * unspent money, so that it has no bill that may be paid late (docs/plans/bills.md).
 */
function isSpentFreely(plan: ListedSpending, carryOver: boolean): boolean {
  if (plan.graceDays > 0 || plan.autoCreateTransaction || isSettled(plan)) return false
  return plan.ruleset !== null && (plan.carryOver ?? carryOver)
}

/**
 * Calculates a forecast, a large one in a worker thread. With more than 100,000 events, throws
 * invalid for `field`, the request field that determines the end.
 */
async function calculate(
  { forecasters }: Deps,
  asked: { input: ForecastInput; field: 'end' | 'fundingScheduleId'; signal: AbortSignal },
): Promise<Forecast> {
  const { input, field, signal } = asked
  const size = estimateSize(input)
  if (size > sizeMax) throw invalid({ [field]: sizeProblems[field] })
  return size > sizeInPlaceMax ? forecasters.run(input, signal) : forecast(input)
}

/** Validates and returns the plan in a request. Throws invalid. */
function readPlan(request: EstimateCostRequest) {
  const { targetAmount, currentAmount, nextRecurrence, recurrenceRule } = request
  if (targetAmount <= 0n) throw invalid({ targetAmount: say('NOT_POSITIVE') })
  if (currentAmount < 0n) throw invalid({ currentAmount: say('NEGATIVE') })
  if (!nextRecurrence) throw invalid({ nextRecurrence: say('REQUIRED') })
  const read = recurrenceRule === undefined ? null : readRuleset(recurrenceRule)
  if (read && 'problem' in read)
    throw invalid({ recurrenceRule: say('RULESET', { fault: read.problem }) })
  return {
    targetAmount,
    nextRecurrence: timestampDate(nextRecurrence),
    ruleset: read && renderRuleset(read.rule),
  }
}
