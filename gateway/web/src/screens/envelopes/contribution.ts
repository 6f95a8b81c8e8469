import { useQuery } from '@tanstack/react-query'
import { type FundingSchedule, type Spending, schedulesQuery } from '../../api/budget-queries.ts'
import { type Forecast, forecastQuery } from '../../api/forecast-queries.ts'
import { dayAfter, dayOf } from '../../format/days.ts'
import { type Reader, useReader } from '../../shell/chosen-account.ts'

/** Days that are looked ahead for the next payday of each envelope: at least, and at most. */
const daysAhead = { least: 90, most: 360 }

/**
 * Returns the amount that the next payday brings to an envelope of the bank account, in minor
 * units: by the forecast, in which a bill that is due before the payday is paid; else by its plan.
 */
export function useContributions(bankAccountId: string): (of: Spending) => number {
  const reader = useReader()
  const { data: schedules } = useQuery(schedulesQuery(bankAccountId))
  const { data: amounts } = useQuery({
    ...forecastQuery(bankAccountId, lastPayday(schedules ?? [], reader)),
    enabled: schedules !== undefined,
    select: firstContributions,
  })
  return ({ spendingId, isPaused, nextContributionAmount }) =>
    isPaused ? 0 : (amounts?.get(spendingId) ?? nextContributionAmount)
}

/** Returns the day up to which each schedule fires at least once, if a forecast reaches it. */
function lastPayday(schedules: FundingSchedule[], { today, timezone }: Reader): string {
  const most = dayAfter(today, daysAhead.most)
  const days = schedules.map(({ nextRecurrence }) => dayOf(nextRecurrence, timezone))
  const last = days.filter((day) => day <= most).toSorted()
  const least = dayAfter(today, daysAhead.least)
  return [least, last.at(-1) ?? least].toSorted()[1] ?? least
}

/** Returns the first contribution to each envelope of a forecast, by the ID of the envelope. */
function firstContributions({ events }: Forecast): ReadonlyMap<string, number> {
  const fundings = events.flatMap(({ spending }) => {
    return spending.filter(({ funding }) => funding.length > 0)
  })
  // Of several values of one key, a Map keeps the last.
  return new Map(
    fundings.toReversed().map(({ spendingId, heldContribution }) => [spendingId, heldContribution]),
  )
}
