import { invalid } from '@coffer/kit/rpc/errors'
import { midnightMs } from '@coffer/kit/values/day'
import { readRuleset } from '@coffer/kit/values/ruleset'
import { z } from 'zod'
import { occurrenceAfter, occurrenceBefore, occurrencesOf } from '../recurrence/recurrence.ts'
import { renderRuleset } from '../recurrence/ruleset-text.ts'
import { weekdayStart } from '../recurrence/weekday.ts'

/**
 * The rule by which envelopes of a bank account get money, such as each payday; amounts in minor
 * units. A row with `deletedAt` is hidden until the ledger has removed its references to the
 * schedule.
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

export type ScheduleKey = Pick<FundingSchedule, 'accountId' | 'bankAccountId' | 'fundingScheduleId'>

/** Returns the schedule with this ID; undefined if it is missing or deleted. */
export function findLiveSchedule(
  schedules: readonly FundingSchedule[],
  fundingScheduleId: string,
): FundingSchedule | undefined {
  return schedules.find((one) => {
    return one.fundingScheduleId === fundingScheduleId && one.deletedAt === null
  })
}

/** The fields that decide when a schedule fires. */
export type FundingDates = Pick<FundingSchedule, 'ruleset' | 'excludeWeekends' | 'nextRecurrence'>

/** A firing: its date, and `original`, its date before it was moved off a weekend. */
export type Funding = { date: Date; original: Date }

/**
 * Returns the first firing after `now` (docs/funding-schedules.md#the-next-funding): the midnight
 * of `nextRecurrence` in `timezone` if that is after `now`, else by the rule; null if the rule has
 * ended.
 */
export function nextFunding(schedule: FundingDates, timezone: string, now: Date): Funding | null {
  const base = midnightMs(schedule.nextRecurrence.getTime(), timezone)
  return now.getTime() < base
    ? { date: new Date(base), original: new Date(base) }
    : fundingAfter(schedule, timezone, now)
}

/** Returns the next two firings after `now`, each null if the rule ends before it. */
export function nextTwoFundings(
  schedule: FundingDates,
  timezone: string,
  now: Date,
): [Funding | null, Funding | null] {
  const first = nextFunding(schedule, timezone, now)
  return [first, first && nextFunding(schedule, timezone, first.date)]
}

/**
 * Returns the first firing of a new schedule (docs/plans.md#next-dates): the date in the request
 * unless past, else the first firing of the rule after `now`; null if the rule has ended.
 */
export function firstFunding(
  schedule: Pick<FundingSchedule, 'ruleset' | 'excludeWeekends'> & { nextRecurrence: Date | null },
  timezone: string,
  now: Date,
): Funding | null {
  const sent = schedule.nextRecurrence
  if (sent !== null && sent >= now) return { date: sent, original: sent }
  const occurrences = occurrencesOf(schedule.ruleset, timezone)
  const started = sent !== null || occurrenceBefore(occurrences, now.getTime()) !== null
  // A rule without an occurrence before `now` may fire at `now`; other rules fire later.
  return fundingAfter(schedule, timezone, started ? now : new Date(now.getTime() - 1))
}

export const notInFuture = 'Next recurrence must be in the future'
export const noDateLeft = 'Ruleset has no date left'

/** Fields of a request that creates a schedule; the gateway has validated their types. */
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
 * Returns the fields of a new schedule, with the normalised rule and the first firing. Throws
 * invalid for a bad or ended rule, and for automatic deposits that are not allowed.
 */
export function newFundingSchedule(
  input: NewFundingSchedule,
  { timezone, now, isManualLink }: { timezone: string; now: Date; isManualLink: boolean },
): Omit<FundingSchedule, 'accountId' | 'fundingScheduleId' | 'bankAccountId' | 'createdAt'> {
  const ruleset = normalizeRuleset(input.ruleset)
  requireDepositAllowed(input, isManualLink)
  const first = firstFunding({ ...input, ruleset }, timezone, now)
  if (first === null) throw invalid({ ruleset: noDateLeft })
  return {
    ...input,
    ruleset,
    waitForDeposit: false,
    lastRecurrence: null,
    deletedAt: null,
    nextRecurrence: first.date,
    nextRecurrenceOriginal: first.original,
  }
}

/** Returns the normalised text of a ruleset (docs/recurrence.md#rules-accepted). Throws invalid. */
export function normalizeRuleset(ruleset: string): string {
  const read = readRuleset(ruleset)
  if ('problem' in read) throw invalid({ ruleset: `Ruleset ${read.problem}` })
  return renderRuleset(read.rule)
}

/** Throws invalid for automatic deposits without an estimate above 0 or without a manual link. */
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

/** Returns the schedule after the firing at `nextRecurrence`; it `isOver` if its rule has ended. */
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

/** Returns whether a schedule or plan is never due again: its last date is also its next one. */
export function isOver(dates: { lastRecurrence: Date | null; nextRecurrence: Date }): boolean {
  return dates.lastRecurrence?.getTime() === dates.nextRecurrence.getTime()
}

/** Returns the rule's first firing (moved off a weekend if excluded) after `now`; null if none. */
function fundingAfter(
  { ruleset, excludeWeekends }: Pick<FundingSchedule, 'ruleset' | 'excludeWeekends'>,
  timezone: string,
  now: Date,
): Funding | null {
  const occurrences = occurrencesOf(ruleset, timezone)
  let original = occurrenceAfter(occurrences, now.getTime())
  while (original !== null) {
    const date = excludeWeekends ? weekdayStart(original, timezone) : midnightMs(original, timezone)
    if (date > now.getTime()) return { date: new Date(date), original: new Date(original) }
    original = occurrenceAfter(occurrences, original)
  }
  return null
}
