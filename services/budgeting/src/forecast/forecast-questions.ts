import { dayMs } from '@coffer/kit/values/time'
import { nextFunding } from '../contributions/funding-dates.ts'
import { type Forecast, type ForecastInput, forecast } from './forecast.ts'
import type { ForecastPlan } from './forecast-envelope.ts'
import type { ForecastSchedule } from './forecast-fundings.ts'

const yearsAhead = 2

/**
 * Returns the input of a forecast to a day after a schedule's next firing; null if none is left.
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
export function findNextContribution({ events }: Forecast): bigint {
  return events.find(({ funding }) => funding.length > 0)?.contribution ?? 0n
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
