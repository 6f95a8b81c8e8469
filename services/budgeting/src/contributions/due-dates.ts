import { midnightMs } from '@coffer/kit/values/day'
import { countOccurrences, occurrenceAfter, occurrencesOf } from '../recurrence/recurrence.ts'

/**
 * Fields of a plan that determine its due dates. A goal has no ruleset. The bill of
 * `nextRecurrence` counts as paid if `settledFor` equals it.
 */
export type Due = {
  ruleset: string | null
  nextRecurrence: Date
  settledFor?: Date | null | undefined
}

/** Returns whether the next due date counts as paid (docs/plans/bills.md#bills-paid-early). */
export function isSettled({ settledFor, nextRecurrence }: Omit<Due, 'ruleset'>): boolean {
  return settledFor?.getTime() === nextRecurrence.getTime()
}

/**
 * Returns the first due date (ms; a midnight in `timezone`) that is not paid: the stored due date,
 * or the following one if the stored one is settled. Infinity if the rule has no further date.
 * Occurrences before the stored due date are ignored.
 */
export function firstUnpaid(due: Due, timezone: string): number {
  const stored = midnightMs(due.nextRecurrence.getTime(), timezone)
  if (due.ruleset === null || !isSettled(due)) return stored
  return dueAfter(due.ruleset, timezone, stored) ?? Number.POSITIVE_INFINITY
}

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
 * past or settled date of an expense is replaced by the next one of its rule, null if none is left.
 */
export function currentDue(due: Due, timezone: string, now: number): number | null {
  const first = firstUnpaid(due, timezone)
  if (first === Number.POSITIVE_INFINITY) return null
  return due.ruleset === null || first >= now ? first : dueAfter(due.ruleset, timezone, now)
}

/**
 * Lists the first `limit` due dates (midnights) that were skipped: occurrences of the rule after
 * the last due date, or the creation, and before the stored next due date. A goal has none.
 */
export function listSkipped(
  plan: Due & { lastRecurrence: Date | null; createdAt: Date },
  timezone: string,
  limit: number,
): Date[] {
  if (plan.ruleset === null) return []
  const next = midnightMs(plan.nextRecurrence.getTime(), timezone)
  const skipped: Date[] = []
  let due = dueAfter(plan.ruleset, timezone, (plan.lastRecurrence ?? plan.createdAt).getTime())
  while (due !== null && due < next && skipped.length < limit) {
    skipped.push(new Date(due))
    due = dueAfter(plan.ruleset, timezone, due)
  }
  return skipped
}

/** Counts the due dates of the rule from `first` up to, but without, the stored due date. */
export function countFrom(due: Due, timezone: string, first: Date | undefined): number {
  if (first === undefined || due.ruleset === null) return 0
  const before = midnightMs(due.nextRecurrence.getTime(), timezone)
  return countOccurrences(occurrencesOf(due.ruleset, timezone), { from: first.getTime(), before })
}

/**
 * Counts the unpaid due dates in `[from, before)` (ms): the date of a goal, or the occurrences of
 * the rule from the first unpaid one on.
 */
export function countDues(
  due: Due,
  timezone: string,
  { from, before }: { from: number; before: number },
): number {
  const { ruleset, nextRecurrence } = due
  if (ruleset !== null) {
    const range = { from: Math.max(from, firstUnpaid(due, timezone)), before }
    return range.from < before ? countOccurrences(occurrencesOf(ruleset, timezone), range) : 0
  }
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
