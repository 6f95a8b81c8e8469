import { invalid } from '@coffer/kit/rpc/errors'
import { readRuleset, renderRuleset } from '@coffer/kit/values/ruleset'
import { z } from 'zod'
import { midnightMs, weekdayStart } from '../recurrence/midnight.ts'
import { occurrenceAfter, occurrenceBefore, occurrencesOf } from '../recurrence/recurrence.ts'

/**
 * A recurring pay or allocation event of one bank account; money in minor units. A deleted one
 * stays, unseen, until the ledger has forgotten it.
 */
export const FundingSchedule = z.object({
  accountId: z.string(),
  fundingScheduleId: z.string(),
  bankAccountId: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  ruleset: z.string(),
  excludeWeekends: z.boolean(),
  waitForDeposit: z.boolean(),
  autoCreateTransaction: z.boolean(),
  estimatedDeposit: z.bigint().nullable(),
  lastRecurrence: z.date().nullable(),
  nextRecurrence: z.date(),
  nextRecurrenceOriginal: z.date(),
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FundingSchedule = z.infer<typeof FundingSchedule>

/** The schedule of that ID, unless it is deleted. */
export function liveSchedule(
  schedules: readonly FundingSchedule[],
  fundingScheduleId: string,
): FundingSchedule | undefined {
  return schedules.find((one) => {
    return one.fundingScheduleId === fundingScheduleId && one.deletedAt === null
  })
}

/** What decides when a schedule fires. */
export type FundingDates = Pick<FundingSchedule, 'ruleset' | 'excludeWeekends' | 'nextRecurrence'>

/** One firing: when it happens, and when it would have without the weekend rule. */
export type Funding = { date: Date; original: Date }

/**
 * When the schedule fires next, later than `now` (`spec/budgeting.md` 2.6); null when its rule has
 * ended. The stored date is kept, as midnight in `timezone`, while it is ahead.
 */
export function nextFunding(schedule: FundingDates, timezone: string, now: Date): Funding | null {
  const base = midnightMs(schedule.nextRecurrence.getTime(), timezone)
  return now.getTime() < base
    ? { date: new Date(base), original: new Date(base) }
    : fundingAfter(schedule, timezone, now)
}

/**
 * The next two firings after `now`, each null when the rule has ended by then
 * (`spec/budgeting.md` 2.6).
 */
export function nextTwoFundings(
  schedule: FundingDates,
  timezone: string,
  now: Date,
): [Funding | null, Funding | null] {
  const first = nextFunding(schedule, timezone, now)
  return [first, first && nextFunding(schedule, timezone, first.date)]
}

/**
 * The first firing of a new schedule (`spec/budgeting.md` 2.3 with `spec/decisions.md`): a date
 * that is not past is taken as sent, a past one is where the rule goes on from, and without one
 * the rule decides. Null when the rule has no date left.
 */
export function firstFunding(
  schedule: Pick<FundingSchedule, 'ruleset' | 'excludeWeekends'> & { nextRecurrence: Date | null },
  timezone: string,
  now: Date,
): Funding | null {
  const sent = schedule.nextRecurrence
  if (sent !== null && sent >= now) {
    return { date: sent, original: sent }
  }
  const occurrences = occurrencesOf(schedule.ruleset, timezone)
  const started = sent !== null || occurrenceBefore(occurrences, now.getTime()) !== null
  // Before its start, a schedule may fire at this very instant; afterwards only later than now.
  return fundingAfter(schedule, timezone, started ? now : new Date(now.getTime() - 1))
}

/** Why a next date of a schedule or a plan is refused. */
export const notInFuture = 'Next recurrence must be in the future'

/** Why a rule is refused where its next date is needed. */
export const noDateLeft = 'Ruleset has no date left'

/** What a client decides about a new schedule; the gateway has checked the shape. */
export type NewFundingSchedule = Pick<
  FundingSchedule,
  | 'name'
  | 'description'
  | 'ruleset'
  | 'excludeWeekends'
  | 'autoCreateTransaction'
  | 'estimatedDeposit'
> & { nextRecurrence: Date | null }

/**
 * A new schedule with its rule normalised and its first date (`spec/budgeting.md` 2.3). Throws
 * invalid for a bad or ended rule, and refuses automatic deposits without an amount or off a manual
 * link.
 */
export function newFundingSchedule(
  input: NewFundingSchedule,
  { timezone, now, isManualLink }: { timezone: string; now: Date; isManualLink: boolean },
): Omit<FundingSchedule, 'accountId' | 'fundingScheduleId' | 'bankAccountId' | 'createdAt'> {
  const ruleset = normalRuleset(input.ruleset)
  requireDepositAllowed(input, isManualLink)
  const first = firstFunding({ ...input, ruleset }, timezone, now)
  if (first === null) {
    throw invalid({ ruleset: noDateLeft })
  }
  return {
    ...{ ...input, ruleset, waitForDeposit: false, lastRecurrence: null, deletedAt: null },
    nextRecurrence: first.date,
    nextRecurrenceOriginal: first.original,
  }
}

/** The ruleset as it is stored. Throws invalid for one that cannot be accepted. */
export function normalRuleset(ruleset: string): string {
  const read = readRuleset(ruleset)
  if ('problem' in read) {
    throw invalid({ ruleset: `Ruleset ${read.problem}` })
  }
  return renderRuleset(read.rule)
}

/** Refuses automatic deposits without an amount or off a manual link (`spec/budgeting.md` 2.3). */
export function requireDepositAllowed(
  deposit: Pick<FundingSchedule, 'autoCreateTransaction' | 'estimatedDeposit'>,
  isManualLink: boolean,
): void {
  if (deposit.autoCreateTransaction && (deposit.estimatedDeposit ?? 0n) <= 0n) {
    const text = 'Automatic deposits need an estimated deposit above 0'
    throw invalid({ estimatedDeposit: text }, text)
  }
  if (deposit.autoCreateTransaction && !isManualLink) {
    const text = 'Automatic deposits need a manual link'
    throw invalid({ autoCreateTransaction: text }, text)
  }
}

/**
 * The schedule once it has fired for the event of its `nextRecurrence` (`spec/budgeting.md`
 * 2.7), one event at a time. When its rule has ended it keeps that date as both, and is due no
 * more.
 */
export function fire(schedule: FundingSchedule, timezone: string): FundingSchedule {
  const fired = schedule.nextRecurrence
  const next = nextFunding(schedule, timezone, fired)
  return {
    ...schedule,
    lastRecurrence: fired,
    nextRecurrence: next?.date ?? fired,
    nextRecurrenceOriginal: next?.original ?? schedule.nextRecurrenceOriginal,
  }
}

/**
 * Whether an event of a schedule or a spending object lies behind it for good: it has happened
 * and none follows.
 */
export function isOver(dates: { lastRecurrence: Date | null; nextRecurrence: Date }): boolean {
  return dates.lastRecurrence?.getTime() === dates.nextRecurrence.getTime()
}

/**
 * Occurrences that fall on a weekend move to the Friday before; one that thereby is past is
 * passed over.
 */
function fundingAfter(
  { ruleset, excludeWeekends }: Pick<FundingSchedule, 'ruleset' | 'excludeWeekends'>,
  timezone: string,
  now: Date,
): Funding | null {
  const occurrences = occurrencesOf(ruleset, timezone)
  let original = occurrenceAfter(occurrences, now.getTime())
  while (original !== null) {
    const date = excludeWeekends ? weekdayStart(original, timezone) : midnightMs(original, timezone)
    if (date > now.getTime()) {
      return { date: new Date(date), original: new Date(original) }
    }
    original = occurrenceAfter(occurrences, original)
  }
  return null
}
