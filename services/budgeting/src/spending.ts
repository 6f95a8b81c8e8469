import { hourMs, midnightOf } from '@coffer/kit/time'
import { z } from 'zod'
import { dueAfter } from './due-dates.ts'
import { isOver } from './funding-schedule.ts'
import { readRuleset, renderRuleset } from './ruleset.ts'

/**
 * The plan of an envelope: an expense recurs on its ruleset, a goal has none. Money in minor units.
 * The amounts are the ledger's as of `amountsVersion`, kept as input of the rules and never served.
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
  createdAt: z.date(),
})
export type Spending = z.infer<typeof Spending>

/** What a client decides about a new envelope; the gateway has checked the shape. */
export type NewSpending = Pick<
  Spending,
  | 'spendingType'
  | 'name'
  | 'fundingScheduleId'
  | 'targetAmount'
  | 'nextRecurrence'
  | 'ruleset'
  | 'autoCreateTransaction'
  | 'isPaused'
>

/** Keys that are absent stay as they are. */
export type SpendingPatch = Partial<Omit<NewSpending, 'spendingType'>>

/** What is wrong, by field, as text for people. */
export type Problems = Record<string, string>

export type SpendingContext = { timezone: string; now: Date; isManualLink: boolean }

/**
 * A new envelope with its ruleset normalised and its due date at midnight, or what is wrong with it
 * (`spec/budgeting.md` 3.2, `spec/interface.md` on the due date).
 */
export function newSpending(
  input: NewSpending,
  context: SpendingContext,
): { spending: NewSpending } | { problems: Problems } {
  const { timezone, now } = context
  const { ruleset, problems } = checkRuleset(input.spendingType, input.ruleset)
  const nextRecurrence = midnightOf(input.nextRecurrence, timezone)
  const spending = { ...input, ruleset, nextRecurrence }
  Object.assign(problems, checkPlan(spending, context))
  if (nextRecurrence < now) {
    problems.nextRecurrence = 'Next recurrence must be in the future'
  } else if (input.nextRecurrence.getTime() - nextRecurrence.getTime() >= hourMs) {
    problems.nextRecurrence = 'Next recurrence must be midnight in the timezone of the account'
  }
  return Object.keys(problems).length > 0 ? { problems } : { spending }
}

/**
 * An envelope as a patch leaves it, and whether its contribution has to be calculated again, or
 * what is wrong with the patch (`spec/budgeting.md` 3.3 with `spec/decisions.md`). An expense
 * whose rule had ended is due again when it gets a new one.
 */
export function changeSpending(
  current: Spending,
  patch: SpendingPatch,
  context: SpendingContext,
): { spending: Spending; recalculates: boolean } | { problems: Problems } {
  const { timezone, now } = context
  const { ruleset, problems } =
    patch.ruleset === undefined
      ? { ruleset: current.ruleset, problems: {} as Problems }
      : checkRuleset(current.spendingType, patch.ruleset)
  const sent = patch.nextRecurrence && midnightOf(patch.nextRecurrence, timezone)
  const spending = { ...current, ...patch, ruleset, nextRecurrence: sent ?? current.nextRecurrence }
  const isMoved = spending.nextRecurrence.getTime() !== current.nextRecurrence.getTime()
  Object.assign(problems, checkPlan(spending, context))
  if (current.spendingType === 'goal' && patch.autoCreateTransaction !== undefined) {
    problems.autoCreateTransaction = 'key not expected'
  }
  if (isMoved && spending.spendingType === 'expense' && spending.nextRecurrence < now) {
    problems.nextRecurrence = 'Next recurrence must be in the future'
  }
  if (Object.keys(problems).length > 0) {
    return { problems }
  }
  if (ruleset !== null && ruleset !== current.ruleset && !isMoved && isOver(current)) {
    const due = dueAfter(ruleset, timezone, now.getTime())
    spending.nextRecurrence = due === null ? current.nextRecurrence : new Date(due)
  }
  return { spending, recalculates: recalculates(current, spending) }
}

/** Pausing keeps the contribution as it stands, whatever else changes; unpausing renews it. */
function recalculates(before: Spending, after: Spending): boolean {
  if (before.isPaused !== after.isPaused) {
    return before.isPaused
  }
  return (
    before.targetAmount !== after.targetAmount ||
    before.fundingScheduleId !== after.fundingScheduleId ||
    before.ruleset !== after.ruleset ||
    before.nextRecurrence.getTime() !== after.nextRecurrence.getTime()
  )
}

function checkRuleset(
  spendingType: Spending['spendingType'],
  text: string | null,
): { ruleset: string | null; problems: Problems } {
  if (spendingType === 'goal') {
    return { ruleset: null, problems: text ? { ruleset: 'A goal takes no ruleset' } : {} }
  }
  const read = readRuleset(text ?? '')
  return 'problem' in read
    ? {
        ruleset: null,
        problems: { ruleset: text ? `Ruleset ${read.problem}` : 'Ruleset is required' },
      }
    : { ruleset: renderRuleset(read.rule), problems: {} }
}

function checkPlan(
  spending: Pick<Spending, 'targetAmount' | 'autoCreateTransaction'>,
  { isManualLink }: SpendingContext,
): Problems {
  return {
    ...(spending.targetAmount <= 0n && { targetAmount: 'Target amount must be greater than 0' }),
    ...(spending.autoCreateTransaction &&
      !isManualLink && { autoCreateTransaction: 'Automatic transactions need a manual link' }),
  }
}
