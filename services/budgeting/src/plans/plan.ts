import { recalculate } from '../contributions/contribution.ts'
import type { FundingDates } from '../contributions/funding-dates.ts'
import type { FundedSpending } from './spending-creation.ts'

/** Amounts of an envelope in the ledger, in minor units, with the ledger's version. */
export type Amounts = {
  spendingId: string
  currentAmount: bigint
  usedAmount: bigint
  version: bigint
}

/** Instant as of which a value is calculated, and the IANA timezone of the account. */
export type AsOf = { timezone: string; now: Date }

/** Returns the plan with these amounts and a new contribution; unchanged if they are not newer. */
export function withAmounts(
  plan: FundedSpending,
  amounts: Amounts | undefined,
  asOf: AsOf,
): FundedSpending {
  if (!amounts || amounts.version <= plan.amountsVersion) return plan
  const { currentAmount, usedAmount, version } = amounts
  return withContribution({ ...plan, currentAmount, usedAmount, amountsVersion: version }, asOf)
}

/** Returns the plan with its contribution as of `now`, in minor units; dates do not change. */
export function withContribution(plan: FundedSpending, asOf: AsOf): FundedSpending {
  const { nextContributionAmount, isBehind } = recalculate(plan, fundingOf(plan), asOf)
  return { ...plan, nextContributionAmount, isBehind, calculatedAt: asOf.now }
}

/** Returns the fields of the plan's schedule that decide when the schedule fires. */
export function fundingOf(plan: FundedSpending): FundingDates {
  return {
    ruleset: plan.fundingRuleset,
    excludeWeekends: plan.fundingExcludesWeekends,
    nextRecurrence: plan.fundingNextRecurrence,
  }
}

/** Returns the instant 1 ms after `at`: contributions are as of just after a firing or due date. */
export function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1)
}
