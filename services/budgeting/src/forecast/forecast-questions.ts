import { dayMs } from '@coffer/kit/values/time'
import { nextFunding } from '../schedules/funding-schedule.ts'
import { type Forecast, type ForecastInput, forecast } from './forecast.ts'
import type { ForecastPlan } from './forecast-envelope.ts'
import type { ForecastSchedule } from './forecast-fundings.ts'

const yearsAhead = 2

/** The forecast of what one schedule moves when it fires next; null when it never will. */
export function nextFundingInput(
  {
    plans,
    schedule,
    timezone,
  }: Pick<ForecastInput, 'plans' | 'timezone'> & {
    schedule: ForecastSchedule
  },
  now: Date,
): ForecastInput | null {
  const next = nextFunding(schedule, timezone, now)
  const own = plans.filter((plan) => plan.fundingScheduleId === schedule.fundingScheduleId)
  return (
    next && {
      ...{ plans: own, schedules: [schedule], timezone, now, free: 0n },
      end: new Date(next.date.getTime() + dayMs),
    }
  )
}

/** What the first firing of a forecast moves, in minor units (`spec/budgeting.md` 8.4). */
export function nextContribution({ events }: Forecast): bigint {
  return events.find(({ funding }) => funding.length > 0)?.contribution ?? 0n
}

/**
 * What an envelope of this plan would usually get from a firing, in minor units: the most frequent
 * contribution from the day before its due date to two years after, of equally frequent ones the
 * smaller (`spec/budgeting.md` 8.5).
 */
export function estimatedCost(
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
