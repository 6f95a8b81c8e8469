import { type AsOf, fundingOf } from '../plans/plan.ts'
import type { FundedSpending } from '../plans/spending.ts'
import { listOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { type Contribution, progress, recalculate } from './contribution.ts'

/** A contribution with the dates behind its figures; amounts in minor units. */
export type Explanation = Contribution['explanation'] &
  Pick<Contribution, 'nextContributionAmount' | 'isBehind'> & {
    asOf: Date
    progress: bigint
    dueDates: Date[]
    fundingDates: Date[]
  }

/** A daily rule may have thousands of dates; so many are listed, all are counted. */
const datesMax = 100

/**
 * How the contribution of a plan came about, from the function that calculated it, as of the
 * instant it was calculated for. The dates are those that were counted (`spec/budgeting.md` section
 * 4): due dates until the funding after the next, and fundings until the due date, not moved off
 * weekends.
 */
export function explain(plan: FundedSpending, { timezone, now }: AsOf): Explanation {
  const found = recalculate(plan, fundingOf(plan), { timezone, now })
  const { explanation, nextContributionAmount, isBehind } = found
  return {
    ...explanation,
    ...{ nextContributionAmount, isBehind, asOf: now, progress: progress(plan) },
    dueDates: dueDates(plan, explanation, { timezone, now }),
    fundingDates: fundingDates(plan, explanation, { timezone, now }),
  }
}

function dueDates(
  plan: FundedSpending,
  { duesBeforeFunding, duesAfterFunding }: Contribution['explanation'],
  { timezone, now }: AsOf,
): Date[] {
  const count = Math.min(duesBeforeFunding + duesAfterFunding, datesMax)
  if (plan.ruleset === null) return count > 0 ? [plan.nextRecurrence] : []
  const range = { from: now.getTime(), before: Number.POSITIVE_INFINITY }
  return datesOf(plan.ruleset, timezone, range, count)
}

function fundingDates(
  plan: FundedSpending,
  { method, due, funding }: Contribution['explanation'],
  { timezone, now }: AsOf,
): Date[] {
  if (method === 'targets' && funding) return [funding]
  if (method === 'none' || !due) return []
  const range = { from: now.getTime(), before: due.getTime() + 1 }
  return datesOf(plan.fundingRuleset, timezone, range, datesMax)
}

function datesOf(
  ruleset: string,
  timezone: string,
  range: { from: number; before: number },
  limit: number,
): Date[] {
  const instants = listOccurrences(occurrencesOf(ruleset, timezone), range, limit)
  return instants.map((instant) => new Date(instant))
}
