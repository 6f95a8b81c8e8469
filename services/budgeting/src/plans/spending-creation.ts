import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { invalid, type Problems } from '@coffer/kit/rpc/errors'
import { isInMidnightHour, midnightOf } from '@coffer/kit/values/day'
import { readRuleset } from '@coffer/kit/values/ruleset'
import { z } from 'zod'
import { dueAfter } from '../contributions/due-dates.ts'
import { renderRuleset } from '../recurrence/ruleset-text.ts'
import { type FundingSchedule, noDateLeft, notInFuture } from '../contributions/funding-dates.ts'

/**
 * The plan of an envelope; amounts in minor units. An expense has a ruleset, a goal none.
 * `currentAmount` and `usedAmount` are the ledger's as of `amountsVersion`; the contribution is as
 * of `calculatedAt`. In state `opening` a plan is being created and hidden from clients.
 * `openingKey` and `openingBody` are the idempotency key and body hash of the creating request,
 * `openingAttempts` counts its attempts. Until `closingUntil` a request that deletes the plan
 * closes its envelope.
 */
export const Spending = z.object({
  accountId: z.string(),
  spendingId: z.string(),
  bankAccountId: z.string(),
  fundingScheduleId: z.string(),
  spendingType: z.enum(['expense', 'goal']),
  name: z.string(),
  targetAmount: z.bigint(),
  currentAmount: z.bigint(),
  usedAmount: z.bigint(),
  amountsVersion: z.bigint(),
  ruleset: z.string().nullable(),
  lastRecurrence: z.date().nullable(),
  nextRecurrence: z.date(),
  nextContributionAmount: z.bigint(),
  isBehind: z.boolean(),
  isPaused: z.boolean(),
  autoCreateTransaction: z.boolean(),
  calculatedAt: z.date(),
  createdAt: z.date(),
  state: z.enum(['opening', 'open']),
  openingKey: z.string().nullable(),
  openingBody: z.instanceof(Buffer).nullable(),
  openingAttempts: z.bigint(),
  closingUntil: z.date().nullable(),
})
export type Spending = z.infer<typeof Spending>

export interface PlanKey extends BankAccountKey {
  spendingId: string
}

/** A plan with those fields of its funding schedule that decide when the schedule fires. */
export const FundedSpending = Spending.extend({
  fundingRuleset: z.string(),
  fundingExcludesWeekends: z.boolean(),
  fundingNextRecurrence: z.date(),
})
export type FundedSpending = z.infer<typeof FundedSpending>

/** Returns the plan moved to this schedule, with the schedule's fields. */
export function withFunding(plan: Spending, schedule: FundingSchedule): FundedSpending {
  return {
    ...plan,
    fundingScheduleId: schedule.fundingScheduleId,
    fundingRuleset: schedule.ruleset,
    fundingExcludesWeekends: schedule.excludeWeekends,
    fundingNextRecurrence: schedule.nextRecurrence,
  }
}

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
    if (spendingType === 'goal') problems.nextRecurrence = 'Next recurrence is required'
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
  return `Next recurrence must be midnight: send ${expected}, midnight of that day in ${timezone}`
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

/** Validates the target and the automatic transactions of a plan. Adds to `problems`. */
export function checkPlan(
  plan: Pick<Spending, 'targetAmount' | 'autoCreateTransaction'>,
  isManualLink: boolean,
  problems: Problems,
): void {
  if (plan.targetAmount <= 0n) {
    problems.targetAmount = 'Target amount must be greater than 0'
  }
  if (plan.autoCreateTransaction && !isManualLink) {
    problems.autoCreateTransaction = 'Automatic transactions need a manual link'
  }
}

/** Returns the normalised ruleset, null for a goal or a bad ruleset. Adds to `problems`. */
export function readRule(
  { spendingType, ruleset }: Pick<Spending, 'spendingType' | 'ruleset'>,
  problems: Problems,
): string | null {
  if (spendingType === 'goal') {
    if (ruleset) problems.ruleset = 'A goal takes no ruleset'
    return null
  }
  const read = readRuleset(ruleset ?? '')
  if ('rule' in read) return renderRuleset(read.rule)
  problems.ruleset = ruleset ? `Ruleset ${read.problem}` : 'Ruleset is required'
  return null
}
