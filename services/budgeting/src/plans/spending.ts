import { invalid, type Problems } from '@coffer/kit/rpc/errors'
import { readRuleset, renderRuleset } from '@coffer/kit/values/ruleset'
import { hourMs, midnightOf } from '@coffer/kit/values/time'
import { z } from 'zod'
import { dueAfter } from '../contributions/due-dates.ts'
import { type FundingSchedule, noDateLeft, notInFuture } from '../schedules/funding-schedule.ts'

/**
 * The plan of an envelope: an expense recurs on its ruleset, a goal has none. Money in minor units.
 * The amounts are the ledger's as of `amountsVersion`, kept as input of the rules and never served.
 * The contribution is as of `calculatedAt`. While it is `opening`, its envelope may not be there
 * yet and nobody sees it; a request that is repeated finds it by its `openingKey`, tells another
 * body by the hash, and takes it up as one more of the `openingAttempts`.
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
})
export type Spending = z.infer<typeof Spending>

/** The bank account that plans belong to. */
export interface PlanScope {
  accountId: string
  bankAccountId: string
}

/** A plan, named with the account it belongs to. */
export interface PlanKey extends PlanScope {
  spendingId: string
}

/** A plan beside what decides when its schedule fires. */
export const FundedSpending = Spending.extend({
  fundingRuleset: z.string(),
  fundingExcludesWeekends: z.boolean(),
  fundingNextRecurrence: z.date(),
})
export type FundedSpending = z.infer<typeof FundedSpending>

/** The plan beside the schedule that funds it. */
export function withFunding(plan: Spending, schedule: FundingSchedule): FundedSpending {
  return {
    ...plan,
    fundingScheduleId: schedule.fundingScheduleId,
    fundingRuleset: schedule.ruleset,
    fundingExcludesWeekends: schedule.excludeWeekends,
    fundingNextRecurrence: schedule.nextRecurrence,
  }
}

/** What a client decides about a new envelope; the gateway has checked the shape. */
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
 * A new envelope with its ruleset normalised and its due date at midnight of the account, the next
 * one of its rule where none is sent (docs/plans.md). Throws invalid with all that is wrong.
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

/** The due date that was sent or that the rule implies; notes what is wrong with it. */
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
  } else if (sent.getTime() - midnight.getTime() >= hourMs) {
    problems.nextRecurrence = notMidnight(midnight, timezone)
  }
  return midnight
}

function notMidnight(midnight: Date, timezone: string): string {
  const expected = midnight.toISOString().replace('.000Z', 'Z')
  const rule = 'Next recurrence must be midnight in the timezone of the account'
  return `${rule}, ${timezone}: ${expected} for that day`
}

/** The first due date of a rule after `now`; null, and noted, where it has none left. */
export function nextDue(
  ruleset: string,
  { timezone, now }: { timezone: string; now: Date },
  problems: Problems,
): Date | null {
  const due = dueAfter(ruleset, timezone, now.getTime())
  if (due === null) problems.ruleset = noDateLeft
  return due === null ? null : new Date(due)
}

/** Notes what is wrong with a plan, new or changed. */
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

/** The ruleset as it is stored, null for a goal; notes what is wrong with it. */
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
