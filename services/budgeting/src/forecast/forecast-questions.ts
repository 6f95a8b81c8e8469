import { isExact } from '@coffer/kit/values/money'
import { dayMs } from '@coffer/kit/values/time'
import type { ForecastPlan } from '../contributions/forecast-envelope.ts'
import type { ForecastSchedule } from '../contributions/forecast-fundings.ts'
import { nextFunding } from '../contributions/funding-dates.ts'
import { estimateSize, type Forecast, type ForecastInput, forecast } from './forecast.ts'

const yearsAhead = 2

/**
 * Maximum number of events over all forecasts of an overview, because they are calculated on the
 * event loop.
 */
const overviewSizeMax = 2500

/**
 * Returns the sum that the hourly job will book at the next firing of each schedule (minor units),
 * and the number of envelopes that get something. Leaves out schedules when the forecasts have too
 * many events, and sums that JSON would round.
 */
export function estimateNextFundings(
  schedules: readonly (ForecastSchedule & { plans: readonly ForecastPlan[] })[],
  { timezone, now }: Pick<ForecastInput, 'timezone' | 'now'>,
) {
  let size = 0
  return schedules.flatMap((schedule) => {
    const { fundingScheduleId, plans } = schedule
    const input = createNextFundingInput(schedule, { plans, timezone, now })
    if (!input) return [{ fundingScheduleId, contribution: 0n, envelopeCount: 0 }]
    size += estimateSize(input)
    if (size > overviewSizeMax) return []
    const { late, ...found } = forecast(input)
    const spending = findFirstFiring(found)?.spending ?? []
    const amounts = [
      ...spending.map(({ heldContribution }) => heldContribution),
      ...late.map(({ amount }) => amount),
    ].filter((amount) => amount > 0n)
    const contribution = amounts.reduce((sum, amount) => sum + amount, 0n)
    if (!isExact(contribution)) return []
    return [{ fundingScheduleId, contribution, envelopeCount: amounts.length }]
  })
}

/**
 * Returns the input of a forecast to a day after a schedule's next firing; null if the schedule
 * fires no more.
 */
export function createNextFundingInput(
  schedule: ForecastSchedule,
  { plans, timezone, now }: Pick<ForecastInput, 'plans' | 'timezone' | 'now'>,
): ForecastInput | null {
  const next = nextFunding(schedule, timezone, now)
  if (!next) return null
  const own = plans.filter((plan) => plan.fundingScheduleId === schedule.fundingScheduleId)
  const end = new Date(next.date.getTime() + dayMs)
  return { plans: own, schedules: [schedule], timezone, now, end, free: 0n }
}

/** Returns the sum that a forecast's first firing moves, in minor units; 0 without a firing. */
export function findNextContribution(found: Forecast): bigint {
  return findFirstFiring(found)?.contribution ?? 0n
}

function findFirstFiring({ events }: Pick<Forecast, 'events'>) {
  return events.find(({ funding }) => funding.length > 0)
}

/**
 * Estimates the usual contribution to a planned envelope, in minor units: the most frequent one
 * from the day before its due date to two years after it; on a tie, the smallest; 0 if there is
 * none (docs/forecast.md).
 */
export function estimateCost(
  plan: Omit<ForecastPlan, 'spendingId' | 'fundingScheduleId'>,
  schedule: ForecastSchedule,
  timezone: string,
): bigint {
  const { nextRecurrence } = plan
  const end = new Date(nextRecurrence)
  end.setUTCFullYear(end.getUTCFullYear() + yearsAhead)
  const { fundingScheduleId } = schedule
  const { events } = forecast({
    plans: [{ ...plan, spendingId: '', fundingScheduleId }],
    schedules: [schedule],
    timezone,
    now: new Date(nextRecurrence.getTime() - dayMs),
    end,
    free: 0n,
  })
  const amounts = events.map(({ contribution }) => contribution).filter((amount) => amount > 0n)
  const counted = [...Map.groupBy(amounts, (amount) => amount)]
  counted.sort(([a, more], [b, less]) => less.length - more.length || (a < b ? -1 : 1))
  return counted[0]?.[0] ?? 0n
}
