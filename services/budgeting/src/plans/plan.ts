import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { toMessage } from '@coffer/kit/rpc/message'
import { lesser } from '@coffer/kit/values/money'
import { type Spending, SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import { fundingOf, type ListedSpending } from '../book/spending.ts'
import { type AsOf, recalculate } from '../contributions/contribution.ts'
import { withSettledBill } from '../contributions/settled-bill.ts'

/** Amounts of an envelope in the ledger, in minor units, with the ledger's version. */
export type Amounts = {
  spendingId: string
  currentAmount: bigint
  usedAmount: bigint
  version: bigint
  /** Spent on transactions in this period; undefined in a reply stored by an earlier release. */
  periodSpent?: bigint | undefined
  /** The day of the newest payment of the period. */
  periodSpentOn?: Timestamp | undefined
  /** The grace of a closed period, undefined if none runs (docs/money/grace.md). */
  graceUntil?: Timestamp | undefined
  graceUnspent?: bigint
  graceMissing?: bigint
}

/**
 * Returns the plan with these amounts and a new contribution; unchanged if the amounts are older,
 * or equal in the same version. Amounts of the same version may still bring the spending of the
 * period and the grace, which earlier releases did not store.
 */
export function withAmounts<Plan extends ListedSpending>(
  plan: Plan,
  amounts: Amounts | undefined,
  asOf: AsOf,
): Plan {
  if (!amounts || amounts.version < plan.amountsVersion) return plan
  if (amounts.version === plan.amountsVersion && hasPeriodOf(plan, amounts)) return plan
  return withContribution({ ...plan, ...heldIn(plan, amounts) }, asOf)
}

/** Returns whether a plan has the period's spending and the grace of its envelope. */
function hasPeriodOf(plan: ListedSpending, amounts: Amounts): boolean {
  const { graceUntil } = amounts
  const until = graceUntil && timestampDate(graceUntil).getTime()
  return (
    periodSpentOf(plan, amounts) === plan.periodSpentAmount && until === plan.graceUntil?.getTime()
  )
}

/**
 * Joins plans and envelopes, in the order of the envelopes; leaves out plans without an envelope.
 * If the ledger's amounts are newer than the plan's, its contribution is recalculated in memory;
 * the consumer of ledger events stores it.
 */
export function compose(
  plans: readonly ListedSpending[],
  envelopes: readonly Envelope[],
  asOf: AsOf,
): Spending[] {
  const byId = new Map(plans.map((plan) => [plan.spendingId, plan]))
  return envelopes.flatMap((envelope) => {
    const plan = byId.get(envelope.spendingId)
    return plan ? [toMessage(SpendingSchema, withAmounts(plan, envelope, asOf))] : []
  })
}

/** Returns the fields of a plan that the amounts of its envelope replace. */
export function heldIn(plan: ListedSpending, amounts: Amounts) {
  const { currentAmount, usedAmount, version: amountsVersion } = amounts
  const { periodSpentOn, graceUntil, graceUnspent = 0n, graceMissing = 0n } = amounts
  const graced = graceUnspent - graceMissing
  return {
    currentAmount,
    usedAmount,
    amountsVersion,
    periodSpentAmount: periodSpentOf(plan, amounts),
    periodSpentOn: periodSpentOn ? timestampDate(periodSpentOn) : null,
    graceUntil: graceUntil ? timestampDate(graceUntil) : null,
    graceAmount: graceUntil && graced > 0n ? lesser(currentAmount, graced) : 0n,
  }
}

function periodSpentOf(plan: ListedSpending, { periodSpent }: Amounts): bigint {
  return plan.spendingType === 'goal' ? 0n : (periodSpent ?? plan.periodSpentAmount)
}

/**
 * Returns the plan with its settlement and its contribution (minor units) as of `now`; dates do not
 * change.
 */
export function withContribution<Plan extends ListedSpending>(stored: Plan, asOf: AsOf): Plan {
  const plan = withSettledBill(stored, asOf.now)
  const { nextContributionAmount, isBehind } = recalculate(plan, fundingOf(plan), asOf)
  return { ...plan, nextContributionAmount, isBehind, calculatedAt: asOf.now }
}

/** Returns the instant 1 ms after `at`: contributions are as of just after a firing or due date. */
export function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1)
}
