import type { Spending } from '../../api/budget-queries.ts'
import { parseAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { dayOf, instantOf } from '../../format/days.ts'
import { formatAmount } from '../../format/money.ts'
import { type Repeat, repeatOf, rulesetOf } from '../../format/recurrence.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

export type Kind = Spending['spendingType']

/** The entries of the form, as they are typed. */
export interface Entries {
  kind: Kind
  name: string
  target: string
  /** `2026-11-20` */
  day: string
  /** `kept`: the rule as it is, which no word says. */
  repeat: Repeat | 'kept'
  ruleset: string | null
  fundingScheduleId: string
  isPaused: boolean
  /** Of an expense: days in which its money stays for a late bill. */
  graceDays: number
  /** Of an expense: whether its bill counts as paid once its target is spent. */
  settlesWhenSpent: boolean
  /** Of an expense: whether what is left on its day stays in it. */
  carryOver: boolean
}

/** Returns the faults of entries by field of the API. */
export function faultsOf({ name, target, day }: Entries, manner: Manner): Record<string, string> {
  return {
    ...(name.trim() ? {} : { name: words.required }),
    ...((parseAmount(target, manner) ?? 0) > 0
      ? {}
      : { targetAmount: words.amountFault({ example: formatAmount(2_500, manner) }) }),
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

/** How the entries are read: amounts in the manner of their bank account, days in the timezone. */
export interface Reading {
  manner: Manner
  timezone: string
}

/**
 * Returns what entries change of an envelope, so that nothing else is computed. Another day is also
 * that of the rule, unless no word says the rule: else the envelope would come again on the former.
 */
export function changesOf(entries: Entries, spending: Spending, reading: Reading) {
  const { name, target, day, repeat, fundingScheduleId, isPaused } = entries
  const { graceDays, settlesWhenSpent, carryOver } = entries
  const { manner, timezone } = reading
  const targetAmount = parseAmount(target, manner) ?? 0
  const isMoved = day !== dayOf(spending.nextRecurrence, timezone)
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
    ...(isPaused === spending.isPaused ? {} : { isPaused }),
  }
}
