import { amountMax, lesser } from '@coffer/kit/values/money'
import type { Spending } from '../plans/spending.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { type FundingDates, nextTwoFundings } from '../schedules/funding-schedule.ts'
import { countDues, currentDue, type Due, dueAfter } from './due-dates.ts'

/** What a contribution depends on; amounts in minor units. A goal has no ruleset. */
export type Need = Due & Pick<Spending, 'targetAmount' | 'currentAmount' | 'usedAmount'>

/**
 * A contribution in minor units and how it came about: the due date, the next two fundings (null
 * for what will never come), the due dates before the first and between the two, and the `need`
 * split into `divisor` parts with the `remainder` that a later recalculation picks up. By `targets`
 * all that falls due between the fundings is needed at once, by `split` the next target in parts.
 */
export type Contribution = {
  nextContributionAmount: bigint
  isBehind: boolean
  lastRecurrence: Date | null
  nextRecurrence: Date
  explanation: {
    due: Date | null
    funding: Date | null
    fundingAfter: Date | null
    method: 'targets' | 'split' | 'none'
    duesBeforeFunding: number
    duesAfterFunding: number
    need: bigint
    divisor: bigint
    remainder: bigint
  }
}

/** Instants in ms; null for a due date or a funding that will never come. */
type Dates = {
  timezone: string
  now: number
  due: number | null
  funding: number | null
  fundingAfter: number | null
}

/**
 * The contribution of one envelope as of `now` (`spec/budgeting.md` section 4 with
 * `spec/decisions.md`). It is 0 once the funding rule, or the rule of the expense itself, has
 * ended. `lastRecurrence` and `nextRecurrence` differ from the given ones when the due date has
 * passed; only what closes the period may store them.
 */
export function recalculate(
  spending: Need & { lastRecurrence: Date | null },
  schedule: FundingDates,
  { timezone, now }: { timezone: string; now: Date },
): Contribution {
  const [first, second] = nextTwoFundings(schedule, timezone, now)
  const dates = {
    timezone,
    now: now.getTime(),
    due: currentDue(spending, timezone, now.getTime()),
    funding: first?.date.getTime() ?? null,
    fundingAfter: second?.date.getTime() ?? null,
  }
  const { due } = dates
  const missed = spending.nextRecurrence < now
  const dues = duesAround(spending, dates)
  const { method, need, divisor } = share(spending, schedule, dates, dues)
  return {
    nextContributionAmount: need / divisor,
    isBehind: isBehind(spending, dates, dues.beforeFunding),
    lastRecurrence: missed ? spending.nextRecurrence : spending.lastRecurrence,
    nextRecurrence: missed && due !== null ? new Date(due) : spending.nextRecurrence,
    explanation: {
      due: due === null ? null : new Date(due),
      funding: first?.date ?? null,
      fundingAfter: second?.date ?? null,
      method,
      duesBeforeFunding: dues.beforeFunding,
      duesAfterFunding: dues.afterFunding,
      need,
      divisor,
      remainder: need % divisor,
    },
  }
}

/**
 * What counts towards the target: the content of the envelope and, of a goal, what was spent
 * from it.
 */
export function progress(spending: Omit<Need, 'nextRecurrence'>): bigint {
  return spending.ruleset === null
    ? spending.currentAmount + spending.usedAmount
    : spending.currentAmount
}

type Dues = { beforeFunding: number; afterFunding: number }

/**
 * Due dates in `[now, F1)` and `[F1, F2)`. The last funding of all has to cover the first due
 * date after it.
 */
function duesAround(spending: Need, { timezone, now, funding, fundingAfter }: Dates): Dues {
  if (funding === null) {
    return { beforeFunding: 0, afterFunding: 0 }
  }
  const beforeFunding = countDues(spending, timezone, { from: now, before: funding })
  if (fundingAfter !== null) {
    const range = { from: funding, before: fundingAfter }
    return { beforeFunding, afterFunding: countDues(spending, timezone, range) }
  }
  const last =
    spending.ruleset === null
      ? spending.nextRecurrence.getTime() >= funding
      : dueAfter(spending.ruleset, timezone, funding - 1) !== null
  return { beforeFunding, afterFunding: last ? 1 : 0 }
}

function share(
  spending: Need,
  schedule: FundingDates,
  { timezone, now, due, funding }: Dates,
  dues: Dues,
): Pick<Contribution['explanation'], 'method' | 'need' | 'divisor'> {
  if (due === null || funding === null) {
    return { method: 'none', need: 0n, divisor: 1n }
  }
  const target = spending.targetAmount
  const saved = progress(spending)
  if (dues.afterFunding > 0) {
    const carried = needed(saved - target * BigInt(dues.beforeFunding))
    const need = needed(target * BigInt(dues.afterFunding) - carried)
    return { method: 'targets', need, divisor: 1n }
  }
  const fundings = countOccurrences(occurrencesOf(schedule.ruleset, timezone), {
    from: now,
    before: due + 1,
  })
  const divisor = BigInt(Math.max(1, fundings))
  return { method: 'split', need: needed(target - saved), divisor }
}

/**
 * Behind: more is due before the next funding than is saved. The due date itself counts even where
 * it is no occurrence of its rule, as `spec/interface.md` has it.
 */
function isBehind(
  spending: Need,
  { now, due, funding }: Dates,
  duesBeforeFunding: number,
): boolean {
  const dueBeforeFunding = due !== null && due >= now && (funding === null || due < funding)
  const dues = Math.max(duesBeforeFunding, dueBeforeFunding ? 1 : 0)
  return spending.targetAmount * BigInt(dues) > progress(spending)
}

/**
 * What is needed, in minor units: not less than nothing, and not more than an amount may be, which
 * a large target many times over would be.
 */
export function needed(amount: bigint): bigint {
  return lesser(amount > 0n ? amount : 0n, amountMax)
}
