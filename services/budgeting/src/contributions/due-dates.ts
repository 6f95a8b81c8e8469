import { midnightMs } from '@coffer/kit/values/day'
import { countOccurrences, occurrenceAfter, occurrencesOf } from '../recurrence/recurrence.ts'

/** Fields of a plan that determine its due dates. A goal has no ruleset. */
export type Due = { ruleset: string | null; nextRecurrence: Date }

/** Returns the first due date (ms; a midnight in `timezone`) after `instant` (ms), null if none. */
export function dueAfter(ruleset: string, timezone: string, instant: number): number | null {
  const occurrences = occurrencesOf(ruleset, timezone)
  let occurrence = occurrenceAfter(occurrences, instant)
  // A due date is the midnight of its occurrence's day, which may be before `instant`.
  while (occurrence !== null && midnightMs(occurrence, timezone) <= instant) {
    occurrence = occurrenceAfter(occurrences, occurrence)
  }
  return occurrence === null ? null : midnightMs(occurrence, timezone)
}

/**
 * Returns the due date as of `now` (docs/plans.md#contributions): midnight in `timezone`, in ms. A
 * past date of an expense is replaced by the next one of its rule, null if none is left.
 */
export function currentDue(due: Due, timezone: string, now: number): number | null {
  const stored = midnightMs(due.nextRecurrence.getTime(), timezone)
  return due.ruleset === null || stored >= now ? stored : dueAfter(due.ruleset, timezone, now)
}

/** Counts the due dates in `[from, before)` (ms): occurrences of the rule, or a goal's date. */
export function countDues(
  { ruleset, nextRecurrence }: Due,
  timezone: string,
  { from, before }: { from: number; before: number },
): number {
  if (ruleset !== null) return countOccurrences(occurrencesOf(ruleset, timezone), { from, before })
  const instant = nextRecurrence.getTime()
  return from <= instant && instant < before ? 1 : 0
}

/**
 * Returns the last and next date of a plan after the due date `nextRecurrence`
 * (docs/hourly-job.md#due-dates). For a goal, or if the rule has ended, both dates are this due
 * date: the plan is never due again.
 */
export function rollDue(
  due: Due,
  timezone: string,
): { lastRecurrence: Date; nextRecurrence: Date } {
  const lastRecurrence = due.nextRecurrence
  const next = due.ruleset && dueAfter(due.ruleset, timezone, lastRecurrence.getTime())
  return { lastRecurrence, nextRecurrence: next ? new Date(next) : lastRecurrence }
}
