import { rollDue } from '../contributions/due-dates.ts'
import { type Amounts, type AsOf, justAfter, withAmounts, withContribution } from '../plans/plan.ts'
import type { FundedSpending, Spending } from '../plans/spending.ts'

/**
 * The plans of a schedule after it has fired, with the ledger's amounts and new contributions.
 * Leaves out paused plans.
 */
export function afterFunding(
  plans: readonly FundedSpending[],
  envelopes: readonly Amounts[],
  asOf: AsOf,
): FundedSpending[] {
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  return plans
    .filter((plan) => !plan.isPaused)
    .map((plan) => {
      const envelope = byId.get(plan.spendingId)
      return withContribution(envelope ? withAmounts(plan, envelope, asOf) : plan, asOf)
    })
}

/**
 * A plan after its due date: an expense moves to the next one, a goal keeps its date
 * (docs/hourly-job.md#due-dates). `amounts` is the ledger's answer, undefined for a goal.
 */
export function afterDue(
  plan: FundedSpending,
  amounts: Amounts | undefined,
  timezone: string,
): FundedSpending {
  const asOf = { timezone, now: justAfter(plan.nextRecurrence) }
  const closed = amounts ? withAmounts(plan, amounts, asOf) : plan
  return withContribution({ ...closed, ...rollDue(closed, timezone) }, asOf)
}

/** Whether `at` is the plan's next due date, and the hourly job has not closed it yet. */
export function isDue({ nextRecurrence, lastRecurrence }: Spending, at: Date): boolean {
  const isPast = lastRecurrence?.getTime() === at.getTime()
  return !isPast && nextRecurrence.getTime() === at.getTime()
}
