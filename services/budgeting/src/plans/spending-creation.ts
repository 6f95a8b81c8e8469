import { say } from '@coffer/kit/reasons/reasons'
import { invalid, type Problems } from '@coffer/kit/rpc/errors'
import { isInMidnightHour, midnightOf } from '@coffer/kit/values/day'
import { readRuleset } from '@coffer/kit/values/ruleset'
import { graceDaysMax, type Spending } from '../book/spending.ts'
import { dueAfter } from '../contributions/due-dates.ts'
import { noDateLeft, notInFuture } from '../recurrence/date-problems.ts'
import { renderRuleset } from '../recurrence/ruleset-text.ts'

/** Fields of a request that creates a plan; the gateway has validated their types. */
export type NewSpending = Pick<
  Spending,
  | 'spendingType'
  | 'name'
  | 'fundingScheduleId'
  | 'targetAmount'
  | 'ruleset'
  | 'autoCreateTransaction'
  | 'isPaused'
  | 'settlesWhenSpent'
  | 'graceDays'
  | 'carryOver'
> & { nextRecurrence: Date | null }

/**
 * Returns the fields of a new plan: normalised ruleset, due date at midnight in the account's
 * timezone (docs/plans.md#next-dates). Throws invalid with every problem at once.
 */
export function newSpending(
  input: NewSpending,
  where: { timezone: string; now: Date; isManualLink: boolean },
): NewSpending & { nextRecurrence: Date } {
  const problems: Problems = {}
  const ruleset = readRule(input, problems)
  const nextRecurrence = newDue({ ...input, ruleset }, where, problems)
  checkPlan(input, where.isManualLink, problems)
  if (nextRecurrence === null || Object.keys(problems).length > 0) throw invalid(problems)
  return { ...input, ruleset, nextRecurrence }
}

/** Returns midnight of the requested date, or the rule's next one, or null. Adds to `problems`. */
function newDue(
  { spendingType, ruleset, nextRecurrence: sent }: NewSpending,
  { timezone, now }: { timezone: string; now: Date },
  problems: Problems,
): Date | null {
  if (sent === null) {
    if (spendingType === 'goal') problems.nextRecurrence = say('NEXT_REQUIRED')
    return ruleset === null ? null : nextDue(ruleset, { timezone, now }, problems)
  }
  const midnight = midnightOf(sent, timezone)
  if (midnight < now) {
    problems.nextRecurrence = notInFuture
  } else if (!isInMidnightHour(sent, timezone)) {
    problems.nextRecurrence = notMidnight(midnight, timezone)
  }
  return midnight
}

function notMidnight(midnight: Date, timezone: string): string {
  const expected = midnight.toISOString().replace('.000Z', 'Z')
  return say('NEXT_NOT_MIDNIGHT', { instant: expected, timezone })
}

/** Returns the first due date of a rule after `now`; null, with a problem, if it has ended. */
export function nextDue(
  ruleset: string,
  { timezone, now }: { timezone: string; now: Date },
  problems: Problems,
): Date | null {
  const due = dueAfter(ruleset, timezone, now.getTime())
  if (due === null) problems.ruleset = noDateLeft
  return due === null ? null : new Date(due)
}

/** Validates target, grace and automatic transactions of a plan. Adds to `problems`. */
export function checkPlan(
  plan: Pick<Spending, 'targetAmount' | 'autoCreateTransaction' | 'graceDays'>,
  isManualLink: boolean,
  problems: Problems,
): void {
  if (plan.targetAmount <= 0n) {
    problems.targetAmount = say('TARGET_NOT_POSITIVE')
  }
  if (plan.graceDays < 0 || plan.graceDays > graceDaysMax) {
    problems.graceDays = say('GRACE_RANGE', { max: graceDaysMax })
  }
  if (plan.autoCreateTransaction && !isManualLink) {
    problems.autoCreateTransaction = say('AUTOMATIC_NOT_MANUAL')
  }
}

/** Returns the normalised ruleset, null for a goal or a bad ruleset. Adds to `problems`. */
export function readRule(
  { spendingType, ruleset }: Pick<Spending, 'spendingType' | 'ruleset'>,
  problems: Problems,
): string | null {
  if (spendingType === 'goal') {
    if (ruleset) problems.ruleset = say('RULE_OF_GOAL')
    return null
  }
  const read = readRuleset(ruleset ?? '')
  if ('rule' in read) return renderRuleset(read.rule)
  problems.ruleset = ruleset ? say('RULESET', { fault: read.problem }) : say('RULE_REQUIRED')
  return null
}
