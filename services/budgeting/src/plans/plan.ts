import { recalculate } from '../contributions/contribution.ts'
import type { FundingDates } from '../schedules/funding-schedule.ts'
import type { FundedSpending } from './spending.ts'

/** The amounts of an envelope as the ledger knows them, in minor units. */
export type Amounts = {
  spendingId: string
  currentAmount: bigint
  usedAmount: bigint
  version: bigint
}

/** Where and when a contribution is calculated: the account's timezone. */
export type AsOf = { timezone: string; now: Date }

/** The plan with these amounts and their contribution, unless it has seen them or newer ones. */
export function withAmounts(plan: FundedSpending, amounts: Amounts, asOf: AsOf): FundedSpending {
  const { currentAmount, usedAmount, version } = amounts
  return version > plan.amountsVersion
    ? withContribution({ ...plan, currentAmount, usedAmount, amountsVersion: version }, asOf)
    : plan
}

/** The plan as these amounts leave it, or nothing where they change nothing. */
export function changedBy(
  plan: FundedSpending,
  amounts: Amounts | undefined,
  asOf: AsOf,
): FundedSpending[] {
  if (!amounts) return []
  const after = withAmounts(plan, amounts, asOf)
  return after === plan ? [] : [after]
}

/** The plan with its contribution as of `now`; its due date stays (`spec/decisions.md`). */
export function withContribution(plan: FundedSpending, asOf: AsOf): FundedSpending {
  const { nextContributionAmount, isBehind } = recalculate(plan, fundingOf(plan), asOf)
  return { ...plan, nextContributionAmount, isBehind, calculatedAt: asOf.now }
}

/** What decides when the schedule of a plan fires. */
export function fundingOf(plan: FundedSpending): FundingDates {
  return {
    ruleset: plan.fundingRuleset,
    excludeWeekends: plan.fundingExcludesWeekends,
    nextRecurrence: plan.fundingNextRecurrence,
  }
}

/** An event has happened by the instant after its own (`spec/budgeting.md` section 4, due day). */
export function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1)
}
