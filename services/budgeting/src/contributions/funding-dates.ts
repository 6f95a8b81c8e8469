import { midnightMs } from '@coffer/kit/values/day'
import { dayMs } from '@coffer/kit/values/time'
import type { FundingDates, FundingSchedule } from '../book/funding-schedule.ts'
import {
  countOccurrences,
  listOccurrences,
  type Occurrences,
  occurrenceAfter,
  occurrenceBefore,
  occurrencesOf,
} from '../recurrence/recurrence.ts'
import { weekdayStart } from '../recurrence/weekday.ts'

/** Maximum number of occurrences in 3 days from any instant: one a day, on up to 4 days. */
const movedMax = 4

/** A firing: its date, and `original`, the midnight before it was moved off a weekend. */
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
  // Only a rule that has not started (no occurrence before `now`) may fire at `now` itself.
  return fundingAfter(schedule, timezone, started ? now : new Date(now.getTime() - 1))
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

/**
 * Counts the firings in `[from, before)` (ms): the `occurrences` of the schedule's rule, without
 * those that a weekend has moved to before `from` (docs/forecast.md#events-of-an-envelope).
 */
export function countFirings(
  schedule: FundingDates,
  occurrences: Occurrences,
  range: { from: number; before: number },
): number {
  const all = countOccurrences(occurrences, range)
  return all === 0 ? 0 : all - firedEarly(schedule, occurrences, range).length
}

/**
 * Returns whether the contribution calculated at `at` counts an occurrence that had already fired,
 * because its date was moved before a weekend. The next contribution would then be too small
 * (docs/hourly-job.md#fundings).
 */
export function countsFiredOne(schedule: FundingDates, timezone: string, at: Date): boolean {
  const range = { from: at.getTime(), before: Number.POSITIVE_INFINITY }
  return firedEarly(schedule, occurrencesOf(schedule.ruleset, timezone), range).length > 0
}

/** Lists the occurrences in `[from, before)` (ms) that a weekend has moved to before `from`. */
function firedEarly(
  { excludeWeekends, nextRecurrence }: FundingDates,
  occurrences: Occurrences,
  { from, before }: { from: number; before: number },
): number[] {
  if (!excludeWeekends) return []
  // A firing moves from Saturday or Sunday to Friday: by two days at most, so no later occurrence
  // can have moved to before `from`.
  const near = { from, before: Math.min(before, from + 3 * dayMs) }
  return listOccurrences(occurrences, near, movedMax).filter(
    (one) => one !== nextRecurrence.getTime() && weekdayStart(one, occurrences.timezone) < from,
  )
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
    const midnight = midnightMs(original, timezone)
    const date = excludeWeekends ? weekdayStart(original, timezone) : midnight
    if (date > now.getTime()) return { date: new Date(date), original: new Date(midnight) }
    original = occurrenceAfter(occurrences, original)
  }
  return null
}
