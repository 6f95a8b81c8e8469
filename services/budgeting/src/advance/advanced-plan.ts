import { rollDue } from '../contributions/due-dates.ts'
import { type Amounts, type AsOf, justAfter, withAmounts, withContribution } from '../plans/plan.ts'
import type { FundedSpending, Spending } from '../plans/spending.ts'

/**
 * The plans of a schedule that has fired, with the amounts that the ledger has answered; paused
 * ones are left out.
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
 * A plan once its due date is dealt with: an expense moves to the next one, a goal keeps the date
 * (`spec/budgeting.md` 7.2). The amounts are as the ledger has answered, where it was asked.
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

/** Whether this due date is the plan's next one, and not behind it. */
export function isDue({ nextRecurrence, lastRecurrence }: Spending, at: Date): boolean {
  const isPast = lastRecurrence?.getTime() === at.getTime()
  return !isPast && nextRecurrence.getTime() === at.getTime()
}
