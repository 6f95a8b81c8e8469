import { midnightMs } from '../recurrence/midnight.ts'
import { countOccurrences, occurrenceAfter, occurrencesOf } from '../recurrence/recurrence.ts'

/**
 * What decides when money of an envelope is needed: the rule of an expense, the date of a goal
 * (no ruleset).
 */
export type Due = { ruleset: string | null; nextRecurrence: Date }

/**
 * The first due date later than `instant`: midnight (ms) in `timezone`, null when the rule has
 * ended.
 */
export function dueAfter(ruleset: string, timezone: string, instant: number): number | null {
  const occurrences = occurrencesOf(ruleset, timezone)
  let occurrence = occurrenceAfter(occurrences, instant)
  // The midnight of a rule that recurs at another hour may already be past.
  while (occurrence !== null && midnightMs(occurrence, timezone) <= instant) {
    occurrence = occurrenceAfter(occurrences, occurrence)
  }
  return occurrence === null ? null : midnightMs(occurrence, timezone)
}

/**
 * The due date that counts at `now` (`spec/budgeting.md` section 4 step 2), midnight (ms) in
 * `timezone`: a past one is passed over for the next by an expense, and stands for a goal. Null
 * when the rule of an expense has ended.
 */
export function currentDue(due: Due, timezone: string, now: number): number | null {
  const stored = midnightMs(due.nextRecurrence.getTime(), timezone)
  return due.ruleset === null || stored >= now ? stored : dueAfter(due.ruleset, timezone, now)
}

/**
 * How often money is needed in `[from, before)` (ms): occurrences of the rule, or the date of
 * the goal.
 */
export function countDues(
  { ruleset, nextRecurrence }: Due,
  timezone: string,
  { from, before }: { from: number; before: number },
): number {
  if (ruleset !== null) {
    return countOccurrences(occurrencesOf(ruleset, timezone), { from, before })
  }
  const instant = nextRecurrence.getTime()
  return from <= instant && instant < before ? 1 : 0
}

/**
 * The dates after the due date has been dealt with: an expense is due at its next occurrence; a
 * goal, or an expense whose rule has ended, keeps its date as both and is due no more.
 */
export function rollDue(
  due: Due,
  timezone: string,
): { lastRecurrence: Date; nextRecurrence: Date } {
  const lastRecurrence = due.nextRecurrence
  const next = due.ruleset && dueAfter(due.ruleset, timezone, lastRecurrence.getTime())
  return { lastRecurrence, nextRecurrence: next ? new Date(next) : lastRecurrence }
}
