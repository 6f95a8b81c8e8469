import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { isYearInRange, yearFirst, yearLast } from '@coffer/kit/values/time'
import { isOver } from '../book/funding-schedule.ts'
import type { Spending } from '../book/spending.ts'
import { notInFuture } from '../recurrence/date-problems.ts'
import { dueAfter, isSettled } from './due-dates.ts'

type Bill = Pick<
  Spending,
  | 'spendingType'
  | 'targetAmount'
  | 'periodSpentAmount'
  | 'periodSpentOn'
  | 'lastRecurrence'
  | 'nextRecurrence'
  | 'settlesWhenSpent'
  | 'settledFor'
  | 'settledAt'
  | 'settledByRequest'
>

const unsettled = { settledFor: null, settledAt: null, settledByRequest: false }

/**
 * Returns the plan with its settlement as of `now` (docs/plans/bills.md#bills-paid-early). With
 * `settlesWhenSpent`, the bill is settled while the target is spent in this period. Changing the
 * due date ends any settlement. The spending of a period pays only one bill: if the target stays
 * spent, `settledFor` keeps the former due date, so that the bill of the new date is not settled
 * too.
 */
export function withSettledBill<Plan extends Bill>(plan: Plan, now: Date): Plan {
  const { settledFor, settledAt, nextRecurrence } = plan
  const isSpent = plan.settlesWhenSpent && plan.periodSpentAmount >= plan.targetAmount
  if (isSettled(plan) && (plan.settledByRequest || isSpent)) {
    return settledAt === null ? { ...plan, settledAt: now } : plan
  }
  if (isSpent && settledFor === null && !isOver(plan)) {
    return { ...plan, settledFor: nextRecurrence, settledAt: now, settledByRequest: false }
  }
  if (isSpent && settledFor !== null) return { ...plan, settledAt: null, settledByRequest: false }
  return settledFor === null ? plan : { ...plan, ...unsettled }
}

/** Returns the day of the payment of a settled bill, or when it was settled without one. */
export function paidOn(plan: Bill): Date | null {
  const { periodSpentAmount, targetAmount, periodSpentOn, settledAt } = plan
  return (periodSpentAmount >= targetAmount ? periodSpentOn : null) ?? settledAt
}

/** Returns the plan with its next bill paid by a request. Throws refused if no bill is left. */
export function settle<Plan extends Bill>(plan: Plan, now: Date): Plan {
  requireBill(plan)
  const settledAt = isSettled(plan) ? plan.settledAt : now
  return { ...plan, settledFor: plan.nextRecurrence, settledAt, settledByRequest: true }
}

/**
 * Returns the plan without the settlement of its next bill, by a request or otherwise. Throws
 * refused if no bill is left.
 */
export function unsettle<Plan extends Bill>(plan: Plan): Plan {
  requireBill(plan)
  return { ...plan, ...unsettled }
}

/**
 * Returns the plan with the due date after the next one. Throws refused if no bill is left, if its
 * due date has passed (the hourly job has yet to close the period), and if the rule ends with it.
 */
export function skip<Plan extends Bill & { ruleset: string | null }>(
  plan: Plan,
  { timezone, now }: { timezone: string; now: Date },
): Plan {
  requireBill(plan)
  const { ruleset, nextRecurrence } = plan
  if (nextRecurrence <= now) throw refused(notInFuture)
  const next = ruleset === null ? null : dueAfter(ruleset, timezone, nextRecurrence.getTime())
  if (next === null) throw refused(say('BILL_LAST'))
  if (!isYearInRange(new Date(next).getUTCFullYear())) {
    throw refused(say('BILL_RANGE', { min: yearFirst, max: yearLast }))
  }
  return { ...plan, nextRecurrence: new Date(next) }
}

/** Throws refused for a goal, and for an expense whose rule has ended. */
function requireBill(plan: Bill): void {
  if (plan.spendingType === 'goal') {
    throw refused(say('BILL_OF_GOAL'))
  }
  if (isOver(plan)) {
    throw refused(say('RULE_ENDED'))
  }
}
