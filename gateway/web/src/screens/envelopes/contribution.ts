import { useQuery } from '@tanstack/react-query'
import type { Payday } from '../../api/account-queries.ts'
import type { Spending } from '../../api/budget-queries.ts'
import { forecastQuery } from '../../api/forecast-queries.ts'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { dayAfter, dayOf } from '../../format/days.ts'
import { type Reader, useReader } from '../../shell/chosen-account.ts'
import { usePaydays } from '../schedules/use-paydays.ts'
import { standingsOf } from './standing.ts'

/** Days that are looked ahead for the next payday of each envelope: at least, and at most. */
const daysAhead = { least: 90, most: 360 }

/**
 * Returns the amount that the next payday brings to an envelope of the bank account, in minor
 * units: by the forecast, in which a bill that is due before the payday is paid; else by its plan.
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

/** Returns what the bills of an envelope before its next payday cost, in minor units. */
export function useNeeds(bankAccountId: string): (of: Spending) => number {
  const { data: standings } = useStandings(bankAccountId)
  return ({ spendingId }) => standings?.get(spendingId)?.needed ?? 0
}

/**
 * Returns whether an envelope lacks money for what is due before its next payday, undefined until
 * it is known. `isBehind` wants whole targets: the forecast takes off what was spent of them. One
 * for every day lacks money once it holds nothing: no bill takes the rest of it on a day.
 */
export function useBehind(
  bankAccountId: string,
  { isAsked = true } = {},
): (of: Spending) => boolean | undefined {
  const { data: standings, isPending } = useStandings(bankAccountId, isAsked)
  return (spending) => {
    const { spendingId, isPaused, isBehind, currentAmount } = spending
    if (!isBehind || isPaused) return false
    if (isEveryday(spending) && currentAmount > 0) return false
    return isPending ? undefined : (standings?.get(spendingId)?.missing ?? 1) > 0
  }
}

/** Returns what an envelope lacks for the bills before its next payday, in minor units. */
export function useMissing({ bankAccountId, spendingId, isPaused }: Spending): number {
  const { data: standings } = useStandings(bankAccountId)
  return isPaused ? 0 : (standings?.get(spendingId)?.missing ?? 0)
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

/** Returns the day up to which each schedule fires at least once, if a forecast reaches it. */
function lastPayday(paydays: Payday[], { today, timezone }: Reader): string {
  const most = dayAfter(today, daysAhead.most)
  const days = paydays.map(({ nextRecurrence }) => dayOf(nextRecurrence, timezone))
  const last = days.filter((day) => day <= most).toSorted()
  const least = dayAfter(today, daysAhead.least)
  return [least, last.at(-1) ?? least].toSorted()[1] ?? least
}
