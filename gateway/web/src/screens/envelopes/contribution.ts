import { useQuery } from '@tanstack/react-query'
import type { Spending } from '../../api/budget-queries.ts'
import { type Forecast, forecastQuery } from '../../api/forecast-queries.ts'
import { dayAfter } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'

/** Days that are looked ahead for the next payday of each envelope. */
const daysAhead = 90

/**
 * Returns the amount that the next payday brings to an envelope of the bank account, in minor
 * units: by the forecast, in which a bill that is due before the payday is paid; else by its plan.
 */
export function useContributions(bankAccountId: string): (of: Spending) => number {
  const { today } = useReader()
  const forecast = forecastQuery(bankAccountId, dayAfter(today, daysAhead))
  const { data: amounts } = useQuery({ ...forecast, select: firstContributions })
  return ({ spendingId, isPaused, nextContributionAmount }) =>
    isPaused ? 0 : (amounts?.get(spendingId) ?? nextContributionAmount)
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
