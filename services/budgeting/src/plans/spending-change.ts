import { say } from '@coffer/kit/reasons/reasons'
import { invalid, type Problems } from '@coffer/kit/rpc/errors'
import { midnightOf } from '@coffer/kit/values/day'
import { isOver } from '../book/funding-schedule.ts'
import type { Spending } from '../book/spending.ts'
import { dueAfter } from '../contributions/due-dates.ts'
import { withSettledBill } from '../contributions/settled-bill.ts'
import { notInFuture } from '../recurrence/date-problems.ts'
import { checkPlan, nextDue, readRule } from './spending-creation.ts'

const notNullable = [
  'name',
  'fundingScheduleId',
  'targetAmount',
  'nextRecurrence',
  'autoCreateTransaction',
  'isPaused',
  'settlesWhenSpent',
  'graceDays',
] as const

const ofExpenses = ['autoCreateTransaction', 'settlesWhenSpent', 'graceDays', 'carryOver'] as const

/** Fields of a PATCH. Null is refused, except for the ruleset of a goal and for `carryOver`. */
export type SpendingPatch = {
  [Field in (typeof notNullable)[number] | 'ruleset' | 'carryOver']?: Spending[Field] | null
}

type Where = { timezone: string; now: Date; isManualLink: boolean }

const triggers = [
  'targetAmount',
  'fundingScheduleId',
  'nextRecurrence',
  'ruleset',
  'settlesWhenSpent',
] as const

/**
 * Returns the changed plan, and whether its contribution has to be recalculated
 * (docs/plans.md#when-a-contribution-is-calculated). Throws invalid with every problem at once.
 */
export function changeSpending(
  current: Spending,
  patch: SpendingPatch,
  where: Where,
): { spending: Spending; needsContribution: boolean } {
  const problems = keyProblems(current, patch)
  const ruleset =
    patch.ruleset === undefined
      ? current.ruleset
      : readRule({ ...current, ruleset: patch.ruleset }, problems)
  const merged: Spending = {
    ...current,
    name: patch.name ?? current.name,
    fundingScheduleId: patch.fundingScheduleId ?? current.fundingScheduleId,
    targetAmount: patch.targetAmount ?? current.targetAmount,
    autoCreateTransaction: patch.autoCreateTransaction ?? current.autoCreateTransaction,
    isPaused: patch.isPaused ?? current.isPaused,
    settlesWhenSpent: patch.settlesWhenSpent ?? current.settlesWhenSpent,
    graceDays: patch.graceDays ?? current.graceDays,
    carryOver: patch.carryOver === undefined ? current.carryOver : patch.carryOver,
    ruleset,
    nextRecurrence: patch.nextRecurrence
      ? sentDue(current, patch.nextRecurrence, where, problems)
      : impliedDue(current, { ...patch, ruleset }, where, problems),
  }
  checkPlan(merged, where.isManualLink, problems)
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const isChanged = triggers.some(
    (field) => comparable(merged[field]) !== comparable(current[field]),
  )
  const isResumed = current.isPaused && !merged.isPaused
  const isPausing = merged.isPaused && !current.isPaused
  const isRevived = isOver(current) && merged.ruleset !== current.ruleset
  return {
    spending: withSettledBill(
      isResumed || isRevived ? withDueAhead(merged, where) : merged,
      where.now,
    ),
    needsContribution: !isPausing && (isResumed || isChanged),
  }
}

function keyProblems({ spendingType }: Spending, patch: SpendingPatch): Problems {
  const cleared = notNullable.filter((field) => patch[field] === null || patch[field] === '')
  const problems: Problems = Object.fromEntries(cleared.map((key) => [key, say('BLANK')]))
  for (const key of spendingType === 'goal' ? ofExpenses : []) {
    if (patch[key] !== undefined) problems[key] = say('KEY_UNKNOWN')
  }
  return problems
}

/** Returns midnight of the due date in a PATCH. Adds a problem for a new date in the past. */
function sentDue(
  { nextRecurrence }: Spending,
  sent: Date,
  { timezone, now }: Where,
  problems: Problems,
): Date {
  const midnight = midnightOf(sent, timezone)
  const isMoved = midnight.getTime() !== nextRecurrence.getTime()
  if (isMoved && midnight < now) problems.nextRecurrence = notInFuture
  return midnight
}

/**
 * Returns the due date of a PATCH without one: that of the plan, or the next one of a new rule.
 * Adds a problem for a new rule if the plan's due date is past, since the hourly job has yet to
 * close that period.
 */
function impliedDue(
  current: Spending,
  { ruleset, isPaused }: Pick<SpendingPatch, 'ruleset' | 'isPaused'>,
  where: Where,
  problems: Problems,
): Date {
  const { nextRecurrence } = current
  if (!ruleset || ruleset === current.ruleset) return nextRecurrence
  if (nextRecurrence >= where.now) return nextDue(ruleset, where, problems) ?? nextRecurrence
  const isResuming = current.isPaused && isPaused === false
  if (!isOver(current) && !isResuming) problems.nextRecurrence = notInFuture
  return nextRecurrence
}

/**
 * Replaces an expense's past due date by the next one of its rule. No period is left to close: the
 * expense was paused, or its rule before the PATCH had ended.
 */
function withDueAhead(plan: Spending, { timezone, now }: Where): Spending {
  if (plan.ruleset === null || plan.nextRecurrence >= now) return plan
  const due = dueAfter(plan.ruleset, timezone, now.getTime())
  const lastRecurrence = plan.nextRecurrence
  return { ...plan, lastRecurrence, nextRecurrence: due ? new Date(due) : lastRecurrence }
}

function comparable<Value>(value: Value | Date): Value | number {
  return value instanceof Date ? value.getTime() : value
}
