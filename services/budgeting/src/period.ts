import { type Due, dueAfter } from './due-dates.ts'

/**
 * Amounts in minor units: `taken` by the automatic transaction, `returned` to free-to-use, and
 * what stays.
 */
export type ClosedPeriod = { taken: bigint; returned: bigint; currentAmount: bigint }

/**
 * What closing a period does to the envelope of an expense (`spec/decisions.md`, Due date of an
 * expense): the automatic transaction takes its target, then what is left of this period's target
 * goes back to free-to-use. Money saved for later periods stays, and with `carriesOver` all of it.
 * `spent` is what left the envelope since the period began.
 */
export function closePeriod(
  {
    currentAmount,
    targetAmount,
    spent,
  }: { currentAmount: bigint; targetAmount: bigint; spent: bigint },
  { autoCreateTransaction, carriesOver }: { autoCreateTransaction: boolean; carriesOver: boolean },
): ClosedPeriod {
  const taken = autoCreateTransaction ? smaller(currentAmount, targetAmount) : 0n
  const unspent = targetAmount - spent - taken
  const returned = carriesOver || unspent < 0n ? 0n : smaller(currentAmount - taken, unspent)
  return { taken, returned, currentAmount: currentAmount - taken - returned }
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

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
