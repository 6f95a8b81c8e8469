import { amountMax, lesser } from '@coffer/kit/values/money'
import type { values } from '@coffer/proto/values'
import type { FundingDates } from '../book/funding-schedule.ts'
import type { Spending } from '../book/spending.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { countDues, currentDue, type Due, dueAfter, firstUnpaid } from './due-dates.ts'
import { nextTwoFundings } from './funding-dates.ts'

/** Fields of a plan that determine its contribution; amounts in minor units. */
export type Need = Due &
  Pick<Spending, 'targetAmount' | 'currentAmount' | 'usedAmount'> & { graceAmount?: bigint }

/**
 * A contribution and the terms of its calculation (docs/plans.md#contributions), in minor units:
 * `need` divided by `divisor`, and the `remainder`. `due` is the next due date, `funding` and
 * `fundingAfter` are the next two fundings; null if there is none.
 */
export type Contribution = {
  nextContributionAmount: bigint
  isBehind: boolean
  due: Date | null
  funding: Date | null
  fundingAfter: Date | null
  method: (typeof values)['Explanation.method'][number]
  duesBeforeFunding: number
  duesAfterFunding: number
  need: bigint
  divisor: bigint
  remainder: bigint
}

/** A contribution as it is stored with its plan, and the instant as of which it was calculated. */
export type StoredContribution = Pick<Spending, 'nextContributionAmount' | 'calculatedAt'>

/** Instant as of which a value is calculated, and the IANA timezone of the account. */
export type AsOf = { timezone: string; now: Date }

/** Instants in ms; null if no due date or funding follows. */
type Dates = {
  timezone: string
  now: number
  due: number | null
  funding: number | null
  fundingAfter: number | null
}

/** Calculates the contribution of one envelope as of `now` (docs/plans.md#contributions). */
export function recalculate(
  spending: Need,
  schedule: FundingDates,
  { timezone, now }: AsOf,
): Contribution {
  const [first, second] = nextTwoFundings(schedule, timezone, now)
  const dates = {
    timezone,
    now: now.getTime(),
    due: currentDue(spending, timezone, now.getTime()),
    funding: first?.date.getTime() ?? null,
    fundingAfter: second?.date.getTime() ?? null,
  }
  const dues = countDuesAround(spending, dates)
  const { method, need, divisor } = share(spending, schedule, dates, dues)
  return {
    nextContributionAmount: need / divisor,
    isBehind: isBehind(spending, dates, dues.beforeFunding),
    due: dates.due === null ? null : new Date(dates.due),
    funding: first?.date ?? null,
    fundingAfter: second?.date ?? null,
    method,
    duesBeforeFunding: dues.beforeFunding,
    duesAfterFunding: dues.afterFunding,
    need,
    divisor,
    remainder: need % divisor,
  }
}

/**
 * Limits the contribution of a firing to the amount still missing for `dues` targets, one for each
 * due date from this firing until the next one (docs/hourly-job.md#fundings). Amounts are in minor
 * units.
 */
export function limitToCeiling(
  contribution: bigint,
  { target, saved, dues }: { target: bigint; saved: bigint; dues: number },
): { amount: bigint; ceiling: bigint } {
  const ceiling = clampNeed(target * BigInt(Math.max(1, dues)))
  return { amount: clampNeed(lesser(contribution, ceiling - saved)), ceiling }
}

/**
 * Returns the need from which the contribution is calculated, in minor units
 * (docs/plans.md#contributions): the targets of the due dates between the next two fundings. If
 * there are none, all that is missing: the caller divides it among the fundings before the due
 * date.
 */
export function calculateNeed({
  target,
  saved,
  dues,
}: {
  target: bigint
  saved: bigint
  dues: Dues
}): bigint {
  if (dues.afterFunding === 0) return clampNeed(target - saved)
  const carried = clampNeed(saved - target * BigInt(dues.beforeFunding))
  return clampNeed(target * BigInt(dues.afterFunding) - carried)
}

/**
 * Returns the amount that counts towards the target, in minor units: the money in the envelope,
 * except money kept from a closed period. For a goal, the money already spent counts too.
 */
export function progress(spending: Omit<Need, 'nextRecurrence'>): bigint {
  return spending.ruleset === null
    ? spending.currentAmount + spending.usedAmount
    : spending.currentAmount - (spending.graceAmount ?? 0n)
}

/** Numbers of due dates: before the next funding, and between the next two fundings. */
export type Dues = { beforeFunding: number; afterFunding: number }

/**
 * Counts the due dates in `[now, funding)` and in `[funding, fundingAfter)`. Without `fundingAfter`
 * the second count is 1 if any due date follows, since no later funding covers it.
 */
function countDuesAround(spending: Need, dates: Dates): Dues {
  const { timezone, now, due, funding, fundingAfter } = dates
  if (funding === null) return { beforeFunding: 0, afterFunding: 0 }
  const beforeFunding = countDues(spending, timezone, { from: now, before: funding })
  if (fundingAfter !== null) {
    const range = { from: funding, before: fundingAfter }
    return { beforeFunding, afterFunding: countDues(spending, timezone, range) }
  }
  if (due === null) return { beforeFunding, afterFunding: 0 }
  const after = Math.max(funding, firstUnpaid(spending, timezone)) - 1
  const last =
    spending.ruleset === null
      ? spending.nextRecurrence.getTime() >= funding
      : dueAfter(spending.ruleset, timezone, after) !== null
  return { beforeFunding, afterFunding: last ? 1 : 0 }
}

function share(
  spending: Need,
  schedule: FundingDates,
  { timezone, now, due, funding }: Dates,
  dues: Dues,
): Pick<Contribution, 'method' | 'need' | 'divisor'> {
  if (due === null || funding === null) return { method: 'none', need: 0n, divisor: 1n }
  const terms = { target: spending.targetAmount, saved: progress(spending), dues }
  const need = calculateNeed(terms)
  if (dues.afterFunding > 0) return { method: 'targets', need, divisor: 1n }
  const fundings = countOccurrences(occurrencesOf(schedule.ruleset, timezone), {
    from: now,
    before: due + 1,
  })
  const divisor = BigInt(Math.max(1, fundings))
  return { method: 'split', need, divisor }
}

/** Returns whether more is due before the next funding than is saved (docs/plans.md#behind). */
function isBehind(
  spending: Need,
  { now, due, funding }: Dates,
  duesBeforeFunding: number,
): boolean {
  // The plan's own due date is counted even if it is no occurrence of its rule.
  const dueBeforeFunding = due !== null && due >= now && (funding === null || due < funding)
  const dues = Math.max(duesBeforeFunding, dueBeforeFunding ? 1 : 0)
  return spending.targetAmount * BigInt(dues) > progress(spending)
}

/** Limits an amount in minor units to the range from 0 to 2^53 − 1 (docs/money.md). */
export function clampNeed(amount: bigint): bigint {
  return lesser(amount > 0n ? amount : 0n, amountMax)
}
