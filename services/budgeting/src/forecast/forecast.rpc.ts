import { timestampDate } from '@bufbuild/protobuf/wkt'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Workers } from '@coffer/kit/service/workers'
import { isExact } from '@coffer/kit/values/money'
import { readRuleset, renderRuleset } from '@coffer/kit/values/ruleset'
import type { EstimateCostRequest, ForecastService } from '@coffer/proto/budgeting/v1/forecast'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { describeBankAccount } from '../ledger/ledger.client.ts'
import { listSpending } from '../plans/spending.sql.ts'
import { findFundingSchedule, listFundingSchedules } from '../schedules/funding-schedule.sql.ts'
import {
  type Forecast,
  type ForecastInput,
  forecast,
  forecastEnd,
  forecastSize,
  isExactForecast,
} from './forecast.ts'
import { forecastMessage } from './forecast-message.ts'
import { estimatedCost, nextContribution, nextFundingInput } from './forecast-questions.ts'

/** Threads for forecasts that would hold up other requests. */
export type Forecasters = Workers<ForecastInput, Forecast>

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'> & { forecasters: Forecasters }

/** Events of single envelopes that are calculated in place: some milliseconds. */
const sizeInPlaceMax = 2500
const sizeMax = 100_000
const outOfRange = 'the amounts would leave the range of ±9007199254740991'

/** Forecasts (`spec/budgeting.md` 8). They change nothing. */
export function forecastRoutes(deps: Deps): ServiceImpl<typeof ForecastService> {
  const { database, clock } = deps
  return {
    getForecast: async ({ bankAccountId, end }, context) => {
      const { timezone, locale } = callerOf(context)
      const now = clock()
      const asked = forecastEnd(end ? timestampDate(end) : null, now)
      const { plans, schedules, balances } = await load(deps, bankAccountId, context)
      const { free = 0n, currency = '' } = balances ?? {}
      const input = { plans, schedules, timezone, now, end: asked, free }
      const found = await calculate(deps, { input, field: 'end', signal: context.signal })
      if (!isExactForecast(found)) throw invalid({ end: `${outOfRange} by then` })
      const scheduleNames = schedules.map((one) => [one.fundingScheduleId, one.name])
      const spendingNames = plans.map((one) => [one.spendingId, one.name])
      return {
        forecast: forecastMessage(found),
        labels: {
          ...{ currency, timezone, locale },
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
      const input = nextFundingInput({ plans, schedule, timezone }, clock())
      if (!input) return { nextContribution: 0n }
      const asked = { input, field: 'fundingScheduleId', signal: context.signal } as const
      const next = nextContribution(await calculate(deps, asked))
      if (!isExact(next)) throw invalid({ fundingScheduleId: outOfRange })
      return { nextContribution: next }
    },
    estimateCost: async (request, context) => {
      const { accountId, timezone } = callerOf(context)
      const plan = virtualPlan(request)
      const [schedule] = await Promise.all([
        findFundingSchedule(database, { ...request, accountId }, request.fundingScheduleId),
        describeBankAccount(deps, request.bankAccountId, context),
      ])
      if (!schedule) throw notFound('funding schedule')
      return { estimatedCost: estimatedCost(plan, schedule, timezone) }
    },
  }
}

/** The plans that money moves in, with the ledger's amounts. */
async function load({ database, mesh }: Deps, bankAccountId: string, context: HandlerContext) {
  const { accountId } = callerOf(context)
  const options = onBehalfOf(context)
  const [schedules, open, { envelopes }, { balances }] = await Promise.all([
    listFundingSchedules(database, { accountId, bankAccountId }),
    listSpending(database, { accountId, bankAccountId }),
    mesh.client('ledger', EnvelopeService).listEnvelopes({ bankAccountId }, options),
    mesh.client('ledger', BankAccountService).getBalances({ bankAccountId }, options),
  ])
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  const plans = open.flatMap((plan) => {
    const envelope = plan.isPaused ? undefined : byId.get(plan.spendingId)
    if (!envelope) return []
    const { spendingId, fundingScheduleId, name, targetAmount, ruleset, nextRecurrence } = plan
    const { currentAmount, usedAmount } = envelope
    const amounts = { targetAmount, currentAmount, usedAmount }
    return [{ spendingId, fundingScheduleId, name, ruleset, nextRecurrence, ...amounts }]
  })
  return { schedules, plans, balances }
}

/**
 * Here, or in a thread when it takes long. Throws invalid, by the field of the request that says
 * until when, for one that would be endless.
 */
async function calculate(
  { forecasters }: Deps,
  asked: { input: ForecastInput; field: 'end' | 'fundingScheduleId'; signal: AbortSignal },
): Promise<Forecast> {
  const { input, field, signal } = asked
  const size = forecastSize(input)
  if (size > sizeMax) throw invalid({ [field]: 'too much happens until then' })
  return size > sizeInPlaceMax ? forecasters.run(input, signal) : forecast(input)
}

function virtualPlan(request: EstimateCostRequest) {
  const { targetAmount, currentAmount, nextRecurrence, recurrenceRule } = request
  if (targetAmount <= 0n) throw invalid({ targetAmount: 'must be greater than 0' })
  if (currentAmount < 0n) throw invalid({ currentAmount: 'must not be negative' })
  if (!nextRecurrence) throw invalid({ nextRecurrence: 'is required' })
  const read = recurrenceRule === undefined ? null : readRuleset(recurrenceRule)
  if (read && 'problem' in read) throw invalid({ recurrenceRule: `Ruleset ${read.problem}` })
  return {
    ...{ targetAmount, currentAmount, usedAmount: 0n },
    nextRecurrence: timestampDate(nextRecurrence),
    ruleset: read && renderRuleset(read.rule),
  }
}
