import type { Spending, Transaction } from '../../api/budget-queries.ts'
import type { HistoryEntry } from '../../api/history-queries.ts'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { dayAfter, dayOf, daysBetween, formatDistance, formatShortDay } from '../../format/days.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

/** The current day of the user, and the language of the texts. */
interface Reading {
  today: string
  timezone: string
  language: string
  locale: string
}

/** Returns whether the envelope holds money for a bill whose due date is today or has passed. */
export function isAwaited(spending: Spending): boolean {
  const { graceUntil, graceAmount } = spending
  return graceUntil !== null && graceAmount > 0 && !isEveryday(spending)
}

/** Minimum share of the target that payments must reach to count as payment of the bill. */
const billShare = 0.75

/**
 * Returns whether payments have paid the bill of the last due date. From that date on, any payment
 * out of the envelope counts, and so do payments of most of the target. Earlier payments count in
 * the second half of the period, if they took most of the target out of the envelope.
 */
export function isBillPaid(paid: Transaction[], spending: Spending, timezone: string): boolean {
  const { lastRecurrence, nextRecurrence, graceDays, targetAmount } = spending
  if (lastRecurrence === null) return false
  const due = dayOf(lastRecurrence, timezone)
  const period = daysBetween(due, dayOf(nextRecurrence, timezone))
  // Payments up to `graceDays` after the due date before this one belong to the bill of that date.
  // Payments for this bill begin a day later, but not before the middle of the period.
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
  // Without `graceDays` the due date empties the envelope, and free-to-use pays the bill. So
  // payments count by their whole amounts, too.
  const isPaidSince = takenBy(since) > 0 || sumOf(since, ({ amount }) => amount) >= most
  return isPaidSince || takenBy(before) >= most
}

/**
 * Returns whether an expense was due today. Its due date is in `lastRecurrence` by then, because
 * `nextRecurrence` has moved on at midnight.
 */
export function wasDueToday({ lastRecurrence }: Spending, { today, timezone }: Reading): boolean {
  return lastRecurrence !== null && dayOf(lastRecurrence, timezone) === today
}

/**
 * Returns whether the envelope holds money for an unpaid bill of an earlier day; false while it is
 * unknown whether the bill is paid (`isPaidLate` is undefined).
 */
export function isLate(
  spending: Spending,
  reading: Reading,
  isPaidLate: boolean | undefined,
): boolean {
  return isAwaited(spending) && !wasDueToday(spending, reading) && isPaidLate === false
}

/** Returns whether the envelope holds money for today's bill, which is unpaid. */
export function isDueToday(
  spending: Spending,
  reading: Reading,
  isPaidLate: boolean | undefined,
): boolean {
  return isAwaited(spending) && wasDueToday(spending, reading) && isPaidLate === false
}

/** Returns whether today's bill is paid: by payments, or because its target was spent before. */
export function isPaidToday(
  spending: Spending,
  reading: Reading,
  isPaidLate: boolean | undefined,
): boolean {
  if (isEveryday(spending) || !wasDueToday(spending, reading)) return false
  // With `graceDays`, an unpaid bill has `graceUntil`, so null means that it is paid. `isAwaited`
  // would be wrong here: it is also false for an unpaid bill whose envelope is empty.
  return isPaidLate || (spending.graceDays > 0 && spending.graceUntil === null)
}

/**
 * Returns a text about the due date of an envelope, such as when its bill is due or was paid. An
 * everyday envelope has no bill: it has to last until `payday`, the day of the next funding if it
 * is known.
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

/**
 * Returns whether payments that were entered after the end of a grace have paid its bill, so that
 * the money which the end returned is spent.
 */
export function isPaidAfter(
  { createdAt: end }: HistoryEntry,
  { paid, spending, timezone }: { paid: Transaction[]; spending: Spending; timezone: string },
): boolean {
  const since = paid.filter(({ createdAt }) => createdAt > end)
  return isBillPaid(since, spending, timezone)
}

/** Returns the journal entry, at or after `since`, of the end of a grace that returned money. */
export function findEndedGrace(
  entries: readonly HistoryEntry[],
  since: string | null,
): HistoryEntry | undefined {
  return entries.find(
    ({ cause, operationId, delta, createdAt }) =>
      cause === 'period-closed' &&
      operationId.includes('/grace/') &&
      delta < 0 &&
      createdAt >= (since ?? ''),
  )
}
