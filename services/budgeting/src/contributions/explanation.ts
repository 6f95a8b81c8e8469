import { type FundedSpending, fundingOf } from '../book/spending.ts'
import { listOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { type AsOf, type Contribution, clampNeed, progress, recalculate } from './contribution.ts'
import { countDues, countFrom, firstUnpaid, isSettled, listSkipped } from './due-dates.ts'
import { findLateFunding, forecastPlanOf, listEnvelopeEvents } from './forecast-envelope.ts'
import { fundingAt, fundingsFrom } from './forecast-fundings.ts'
import { paidOn } from './settled-bill.ts'

/** A contribution with the dates that were counted for it; amounts in minor units. */
export type Explanation = Contribution & {
  asOf: Date
  progress: bigint
  dueDates: Date[]
  fundingDates: Date[]
  settledAt: Date | null
  paidOn: Date | null
  skippedDates: Date[]
  skippedCount: number
  graceUntil: Date | null
  graceAmount: bigint
  /**
   * The part of the next bill that is paid already, if the bill is due before the next funding;
   * otherwise 0.
   */
  spentAmount: bigint
  /** The amount that the next funding will book; null if too many due dates come before it. */
  heldContribution: bigint | null
}

/**
 * Maximum number of due dates before the next funding for which the funding is simulated. With
 * more, `heldContribution` is null.
 */
const simulatedMax = 2500

/** Maximum length of each list of dates in an explanation; the counts of dates are not limited. */
const datesMax = 100

/**
 * Returns the contribution of a plan as of `now` (docs/plans.md#the-explanation), with the due
 * dates and fundings that it counts.
 */
export function explain(plan: FundedSpending, { timezone, now }: AsOf): Explanation {
  const contribution = recalculate(plan, fundingOf(plan), { timezone, now })
  const skippedDates = listSkipped(plan, timezone, datesMax)
  return {
    ...contribution,
    asOf: now,
    progress: progress(plan),
    dueDates: listDueDates(plan, contribution, { timezone, now }),
    fundingDates: listFundingDates(plan, contribution, { timezone, now }),
    settledAt: isSettled(plan) ? plan.settledAt : null,
    paidOn: isSettled(plan) ? paidOn(plan) : null,
    skippedDates,
    skippedCount: countFrom(plan, timezone, skippedDates[0]),
    graceUntil: plan.graceUntil,
    graceAmount: plan.graceAmount,
    spentAmount: findSpent(plan, contribution),
    heldContribution: findHeldContribution(plan, { timezone, now }),
  }
}

function findSpent(plan: FundedSpending, { due, funding }: Contribution): bigint {
  const isBefore = due !== null && funding !== null && due < funding
  const { spentAmount = 0n } = forecastPlanOf(plan)
  return isBefore && plan.ruleset !== null && !isSettled(plan) ? clampNeed(spentAmount) : 0n
}

/** Simulates the amount (minor units) that the next funding will book, by a forecast from `now`. */
function findHeldContribution(plan: FundedSpending, { timezone, now }: AsOf): bigint | null {
  const { fundingScheduleId } = plan
  const schedule = { ...fundingOf(plan), fundingScheduleId, estimatedDeposit: null }
  const fundings = fundingsFrom(schedule, timezone, now.getTime())
  const end = fundingAt(fundings, 0)?.date.getTime()
  if (end === undefined) return 0n
  const dues = countDues(plan, timezone, { from: fundings.start.getTime(), before: end })
  if (dues > simulatedMax) return null
  const planned = forecastPlanOf(plan, plan)
  const events = listEnvelopeEvents(planned, fundings, { now: now.getTime(), end })
  const late = findLateFunding(planned, fundings, { events, end })
  return events.find(({ funding }) => funding.length > 0)?.heldContribution ?? late?.amount ?? 0n
}

function listDueDates(
  plan: FundedSpending,
  { duesBeforeFunding, duesAfterFunding }: Contribution,
  { timezone, now }: AsOf,
): Date[] {
  const count = Math.min(duesBeforeFunding + duesAfterFunding, datesMax)
  if (plan.ruleset === null) return count > 0 ? [plan.nextRecurrence] : []
  const from = Math.max(now.getTime(), firstUnpaid(plan, timezone))
  const range = { from, before: Number.POSITIVE_INFINITY }
  return listDates(plan.ruleset, timezone, range, count)
}

function listFundingDates(
  plan: FundedSpending,
  { method, due, funding }: Contribution,
  { timezone, now }: AsOf,
): Date[] {
  if (method === 'targets' && funding) return [funding]
  if (method === 'none' || !due) return []
  const range = { from: now.getTime(), before: due.getTime() + 1 }
  return listDates(plan.fundingRuleset, timezone, range, datesMax)
}

function listDates(
  ruleset: string,
  timezone: string,
  range: { from: number; before: number },
  limit: number,
): Date[] {
  const instants = listOccurrences(occurrencesOf(ruleset, timezone), range, limit)
  return instants.map((instant) => new Date(instant))
}
