import type { Spending } from '../../api/budget-queries.ts'
import { dayOf, formatDistance } from '../../format/days.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

/** The day and the language of the person who reads. */
interface Reading {
  today: string
  timezone: string
  language: string
}

/** Returns whether money of the envelope waits for a bill whose due date has come or passed. */
export function isAwaited({ graceUntil, graceAmount }: Spending): boolean {
  return graceUntil !== null && graceAmount > 0
}

/** Returns whether an expense was due today. Its next due date is another one since midnight. */
export function wasDueToday({ lastRecurrence }: Spending, { today, timezone }: Reading): boolean {
  return lastRecurrence !== null && dayOf(lastRecurrence, timezone) === today
}

/**
 * Returns whether the envelope keeps money for a bill of a former day that no payment has paid yet;
 * not while that is unknown.
 */
export function isLate(
  spending: Spending,
  reading: Reading,
  isPaidLate: boolean | undefined,
): boolean {
  return isAwaited(spending) && !wasDueToday(spending, reading) && isPaidLate === false
}

/** Returns when an envelope is needed, in words; on the day of a bill also that it is today. */
export function dueText(
  spending: Spending,
  reading: Reading,
  isPaidLate: boolean | undefined,
): string {
  const { nextRecurrence, spendingType, graceDays } = spending
  const distance = formatDistance(dayOf(nextRecurrence, reading.timezone), reading)
  if (spendingType === 'goal') return words.saved({ distance })
  if (!wasDueToday(spending, reading)) {
    return isAwaited(spending) ? words.nextDue({ distance }) : words.due({ distance })
  }
  if (isAwaited(spending) && !isPaidLate) return words.dueToday
  // With a grace, money for a bill that is not paid would wait, or be missing.
  const isPaid = isPaidLate || (graceDays > 0 && spending.graceUntil === null)
  return isPaid ? words.paidToday({ distance }) : words.wasToday({ distance })
}
