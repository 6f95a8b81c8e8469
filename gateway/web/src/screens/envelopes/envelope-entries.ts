import type { Spending } from '../../api/budget-queries.ts'
import { amountFault } from '../../controls/amounts/amount-fault.ts'
import { parseAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { dayOf, instantOf } from '../../format/days.ts'
import { type Repeat, repeatOf, rulesetOf } from '../../format/recurrence.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

export type Kind = Spending['spendingType']

/** Values of the form as they are typed. */
export interface Entries {
  kind: Kind
  name: string
  target: string
  /** `2026-11-20` */
  day: string
  /** `kept`: leaves a rule unchanged that has no name in the app. */
  repeat: Repeat | 'kept'
  ruleset: string | null
  fundingScheduleId: string
  isPaused: boolean
  /** Expenses only: days after the due date for which the money is kept for a late bill. */
  graceDays: number
  /** Expenses only: whether the bill counts as paid once the target is spent. */
  settlesWhenSpent: boolean
  /** Expenses only: whether unspent money stays in the envelope after the due date. */
  carryOver: boolean
  /** Expenses of manual accounts only: whether a due date creates the payment. */
  autoCreateTransaction: boolean
}

/** Returns validation errors by field of the API. */
export function faultsOf({ name, target, day }: Entries, manner: Manner): Record<string, string> {
  return {
    ...(name.trim() ? {} : { name: words.required }),
    ...((parseAmount(target, manner) ?? 0) > 0
      ? {}
      : { targetAmount: amountFault(target, { manner, example: 2_500, text: words.amountFault }) }),
    ...(day ? {} : { nextRecurrence: words.required }),
  }
}

/** Returns the rule of an expense; null for a goal. */
export function ruleOf(entries: Entries, timezone: string): string | null {
  const { kind, repeat, ruleset, day } = entries
  if (kind === 'goal') return null
  if (repeat === 'kept' || day === '') return ruleset
  return rulesetOf(repeat, { day, start: instantOf(day, timezone) })
}

/** Formats in which the values are parsed: amounts of the bank account, days in the timezone. */
export interface Reading {
  manner: Manner
  timezone: string
  /** Due date of the explanation, see `neededOn`. */
  due?: string | null | undefined
}

/**
 * Returns the due date that the money of an envelope is for: `due` of its explanation if the bill
 * of the next one is paid.
 */
export function neededOn({ settledAt, nextRecurrence }: Spending, due?: string | null): string {
  return (settledAt && due) || nextRecurrence
}

/**
 * Returns the body of a PATCH with changed fields only, so that the server recomputes nothing else.
 * A changed day also changes a rule that has a name in the app, because its later due dates would
 * stay on the old day.
 */
export function changesOf(entries: Entries, spending: Spending, reading: Reading) {
  const { name, target, day, repeat, fundingScheduleId, isPaused } = entries
  const { graceDays, settlesWhenSpent, carryOver, autoCreateTransaction } = entries
  const { manner, timezone } = reading
  const targetAmount = parseAmount(target, manner) ?? 0
  const isMoved = day !== dayOf(neededOn(spending, reading.due), timezone)
  const hasNewRule = repeat !== 'kept' && (isMoved || repeat !== repeatOf(spending.ruleset ?? ''))
  const ruleset = hasNewRule ? ruleOf(entries, timezone) : null
  return {
    ...(name.trim() === spending.name ? {} : { name: name.trim() }),
    ...(targetAmount === spending.targetAmount ? {} : { targetAmount }),
    ...(fundingScheduleId === spending.fundingScheduleId ? {} : { fundingScheduleId }),
    ...(isMoved ? { nextRecurrence: instantOf(day, timezone) } : {}),
    ...(ruleset === null ? {} : { ruleset }),
    ...(graceDays === spending.graceDays ? {} : { graceDays }),
    ...(settlesWhenSpent === spending.settlesWhenSpent ? {} : { settlesWhenSpent }),
    ...(carryOver === (spending.carryOver ?? false) ? {} : { carryOver }),
    ...(autoCreateTransaction === spending.autoCreateTransaction ? {} : { autoCreateTransaction }),
    ...(isPaused === spending.isPaused ? {} : { isPaused }),
  }
}
