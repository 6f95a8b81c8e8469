import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { dayAfter, dayOf, daysBetween, formatDistance, formatShortDay } from '../../format/days.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

/** The day and the language of the person who reads. */
interface Reading {
  today: string
  timezone: string
  language: string
  locale: string
}

/** Returns whether money of the envelope waits for a bill whose due date has come or passed. */
export function isAwaited(spending: Spending): boolean {
  const { graceUntil, graceAmount } = spending
  return graceUntil !== null && graceAmount > 0 && !isEveryday(spending)
}

/** Share of the needed amount from which on payments shortly before a due date are of its bill. */
const billShare = 0.75

/**
 * Returns whether payments have paid the bill of the last due date: since then one that took from
 * the envelope, or most of the needed amount; or such that took most of it shortly before, in the
 * second half of its period.
 */
export function isBillPaid(paid: Transaction[], spending: Spending, timezone: string): boolean {
  const { lastRecurrence, nextRecurrence, graceDays, targetAmount } = spending
  if (lastRecurrence === null) return false
  const due = dayOf(lastRecurrence, timezone)
  const period = daysBetween(due, dayOf(nextRecurrence, timezone))
  // Payments within the grace of the bill before are of that one.
  const first = dayAfter(due, Math.max(graceDays + 1 - period, -Math.floor(period / 2)))
  const sumOf = (of: Transaction[], amountOf: (one: Transaction) => number) =>
    of.reduce((sum, one) => sum + amountOf(one), 0)
  const takenBy = (of: Transaction[]) => sumOf(of, ({ spendingAmount }) => spendingAmount ?? 0)
  const since = paid.filter(({ date }) => dayOf(date, timezone) >= due)
  const before = paid.filter(({ date }) => {
    const day = dayOf(date, timezone)
    return day >= first && day < due
  })
  const most = targetAmount * billShare
  // Without a grace the envelope is empty on the due date, and free to use pays the bill.
  const isPaidSince = takenBy(since) > 0 || sumOf(since, ({ amount }) => amount) >= most
  return isPaidSince || takenBy(before) >= most
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

/** Returns whether the bill of today is paid: of it nothing waits, or payments have paid it. */
export function isPaidToday(
  spending: Spending,
  reading: Reading,
  isPaidLate: boolean | undefined,
): boolean {
  if (isEveryday(spending) || !wasDueToday(spending, reading)) return false
  // Money that a bill lacks would be awaited too, though there is none of it.
  return isPaidLate || (spending.graceDays > 0 && spending.graceUntil === null)
}

/**
 * Returns when an envelope is needed, in words; on the day of a bill also that it is today. One
 * for every day lasts until its payday, a day if it is known.
 */
export function dueText(
  spending: Spending,
  reading: Reading & { payday?: string | undefined },
  isPaidLate: boolean | undefined,
): string {
  const { nextRecurrence, spendingType, isPaused } = spending
  const { payday } = reading
  const distance = formatDistance(dayOf(nextRecurrence, reading.timezone), reading)
  if (spendingType === 'goal') return words.saved({ distance })
  if (isEveryday(spending)) {
    const isFilled = payday !== undefined && !isPaused
    return isFilled ? words.lasts({ distance: formatDistance(payday, reading) }) : words.left
  }
  if (!wasDueToday(spending, reading)) {
    if (spending.settledAt) {
      return words.paidFor({
        day: formatShortDay(dayOf(nextRecurrence, reading.timezone), reading),
      })
    }
    return isAwaited(spending) ? words.nextDue({ distance }) : words.due({ distance })
  }
  if (isAwaited(spending) && !isPaidLate) return words.dueToday
  const isPaid = isPaidToday(spending, reading, isPaidLate)
  return isPaid ? words.paidToday({ distance }) : words.wasToday({ distance })
}
