import { type FundedSpending, fundingOf } from '../book/spending.ts'
import { type AsOf, recalculate } from '../contributions/contribution.ts'

/** Amounts of an envelope in the ledger, in minor units, with the ledger's version. */
export type Amounts = {
  spendingId: string
  currentAmount: bigint
  usedAmount: bigint
  version: bigint
}

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

/** Returns the instant 1 ms after `at`: contributions are as of just after a firing or due date. */
export function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1)
}
