import { useQuery } from '@tanstack/react-query'
import type { Payday } from '../../api/account-queries.ts'
import type { Spending } from '../../api/budget-queries.ts'
import { forecastQuery } from '../../api/forecast-queries.ts'
import { isEveryday, isUsedUp } from '../../controls/assignments/everyday.ts'
import { dayAfter, dayOf } from '../../format/days.ts'
import { type Reader, useReader } from '../../shell/chosen-account.ts'
import { usePaydays } from '../schedules/use-paydays.ts'
import { fillUpOf, standingsOf } from './standing.ts'

/** Range of days over which the forecast looks for the next payday of each envelope. */
const daysAhead = { least: 90, most: 360 }

/**
 * Returns a function for the amount that the next payday adds to an envelope, in minor units. It is
 * that of the forecast, which pays the bills that are due before the payday; for an envelope that
 * the forecast lacks, it is that of the plan.
 */
export function useContributions(bankAccountId: string): (of: Spending) => number {
  const { data: standings } = useStandings(bankAccountId)
  return ({ spendingId, isPaused, nextContributionAmount }) =>
    isPaused ? 0 : (standings?.get(spendingId)?.contribution ?? nextContributionAmount)
}

/** Returns the day of the next payday of an envelope, undefined without one. */
export function usePayday({ bankAccountId, fundingScheduleId }: Spending): string | undefined {
  const { timezone } = useReader()
  const { data: paydays = [] } = usePaydays(bankAccountId)
  const next = paydays.find((one) => one.fundingScheduleId === fundingScheduleId)
  return next && dayOf(next.nextRecurrence, timezone)
}

/**
 * Returns a function for the cost of an envelope's bills before its next payday, in minor units.
 */
export function useNeeds(bankAccountId: string): (of: Spending) => number {
  const { data: standings } = useStandings(bankAccountId)
  return ({ spendingId }) => standings?.get(spendingId)?.needed ?? 0
}

/**
 * Returns whether an envelope lacks money for what is due before its next payday; undefined until
 * the forecast is loaded. `isBehind` of the server compares with whole targets; the forecast
 * deducts what was spent of them. An everyday envelope, such as for groceries, has no bill on a
 * certain day, so it lacks money only when it is used up.
 */
export function useBehind(
  bankAccountId: string,
  { isAsked = true } = {},
): (of: Spending) => boolean | undefined {
  const { data: standings, isPending } = useStandings(bankAccountId, isAsked)
  return (spending) => {
    const { spendingId, isPaused, isBehind } = spending
    if (isPaused) return false
    if (isEveryday(spending)) return isUsedUp(spending)
    if (!isBehind) return false
    return isPending ? undefined : (standings?.get(spendingId)?.missing ?? 1) > 0
  }
}

/**
 * Returns a function for the amount that an envelope lacks for its bills or purchases before its
 * next payday, in minor units; undefined until the forecast is loaded.
 */
export function useMissing(
  bankAccountId: string,
  { isAsked = true } = {},
): (of: Spending) => number | undefined {
  const { data: standings, isPending } = useStandings(bankAccountId, isAsked)
  return ({ spendingId, isPaused }) => {
    if (isPaused) return 0
    return isPending ? undefined : (standings?.get(spendingId)?.missing ?? 0)
  }
}

/** Returns a function for the amount that fills up an envelope that is behind; see `fillUpOf`. */
export function useFillUp(bankAccountId: string): (of: Spending) => number {
  const { data: standings } = useStandings(bankAccountId)
  return (spending) => fillUpOf(spending, standings)
}

function useStandings(bankAccountId: string, isAsked = true) {
  const reader = useReader()
  const { data: paydays } = usePaydays(bankAccountId)
  return useQuery({
    ...forecastQuery(bankAccountId, lastPayday(paydays ?? [], reader)),
    enabled: isAsked && paydays !== undefined,
    select: standingsOf,
  })
}

/**
 * Returns the end of the forecast: the day by which each funding schedule fires, 90 to 360 days
 * ahead.
 */
function lastPayday(paydays: Payday[], { today, timezone }: Reader): string {
  const most = dayAfter(today, daysAhead.most)
  const days = paydays.map(({ nextRecurrence }) => dayOf(nextRecurrence, timezone))
  const last = days.filter((day) => day <= most).toSorted()
  const least = dayAfter(today, daysAhead.least)
  return [least, last.at(-1) ?? least].toSorted()[1] ?? least
}
