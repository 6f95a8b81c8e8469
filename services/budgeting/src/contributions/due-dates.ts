import { midnightMs } from '../recurrence/midnight.ts'
import { countOccurrences, occurrenceAfter, occurrencesOf } from '../recurrence/recurrence.ts'

/** The fields of a plan that decide its due dates. A goal has no ruleset. */
export type Due = { ruleset: string | null; nextRecurrence: Date }

/**
 * The first due date later than `instant` (ms): midnight in `timezone`, in ms. Null if the rule has
 * ended.
 */
export function dueAfter(ruleset: string, timezone: string, instant: number): number | null {
  const occurrences = occurrencesOf(ruleset, timezone)
  let occurrence = occurrenceAfter(occurrences, instant)
  // An occurrence at another hour is later than the midnight of its day.
  while (occurrence !== null && midnightMs(occurrence, timezone) <= instant) {
    occurrence = occurrenceAfter(occurrences, occurrence)
  }
  return occurrence === null ? null : midnightMs(occurrence, timezone)
}

/**
 * The due date N at `now` (docs/plans.md#contributions): midnight in `timezone`, in ms. For a past
 * date it is the next one of an expense, or the date itself of a goal. Null if the rule has ended.
 */
export function currentDue(due: Due, timezone: string, now: number): number | null {
  const stored = midnightMs(due.nextRecurrence.getTime(), timezone)
  return due.ruleset === null || stored >= now ? stored : dueAfter(due.ruleset, timezone, now)
}

/** The number of due dates in `[from, before)` (ms): occurrences of the rule, or a goal's date. */
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
 * The dates of a plan after its due date (docs/hourly-job.md#due-dates). An expense gets the next
 * occurrence. A goal, or an ended rule, gets the same date twice, and is never due again.
 */
export function rollDue(
  due: Due,
  timezone: string,
): { lastRecurrence: Date; nextRecurrence: Date } {
  const lastRecurrence = due.nextRecurrence
  const next = due.ruleset && dueAfter(due.ruleset, timezone, lastRecurrence.getTime())
  return { lastRecurrence, nextRecurrence: next ? new Date(next) : lastRecurrence }
}
