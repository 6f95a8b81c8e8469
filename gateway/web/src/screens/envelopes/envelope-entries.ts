import type { Spending } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { parseAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { instantOf } from '../../format/days.ts'
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

interface Place {
  bankAccountId: string
  spending: Spending | undefined
  manner: Manner
  timezone: string
}

/** Creates or changes the envelope. Only what differs is sent, so that nothing else is computed. */
export async function saveEnvelope(
  entries: Entries,
  { bankAccountId, spending, manner, timezone }: Place,
): Promise<unknown> {
  const { kind, name, target, day, fundingScheduleId, isPaused } = entries
  const targetAmount = parseAmount(target, manner) ?? 0
  const nextRecurrence = instantOf(day, timezone)
  const shared = { name: name.trim(), fundingScheduleId, targetAmount }
  const ruleset = ruleOf(entries, timezone)
  const { graceDays, settlesWhenSpent } = entries
  if (spending === undefined) {
    const path = { bankAccountId }
    const bill = { graceDays, settlesWhenSpent }
    const body =
      kind === 'goal'
        ? { ...shared, spendingType: 'goal' as const, nextRecurrence }
        : {
            ...shared,
            spendingType: 'expense' as const,
            nextRecurrence,
            ruleset: ruleset ?? '',
            ...bill,
          }
    return await coffer.createSpending({ path, body })
  }
  const isMoved = Date.parse(spending.nextRecurrence) !== Date.parse(nextRecurrence)
  const isOther = kind === 'expense' && spending.ruleset !== null && entries.repeat !== 'kept'
  // A day that moves, moves the days of the rule: a bill of the 5th that is put to the 12th stays
  // there.
  const hasNewRule = isOther && (isMoved || entries.repeat !== repeatOf(spending.ruleset ?? ''))
  const body = {
    ...(shared.name === spending.name ? {} : { name: shared.name }),
    ...(targetAmount === spending.targetAmount ? {} : { targetAmount }),
    ...(fundingScheduleId === spending.fundingScheduleId ? {} : { fundingScheduleId }),
    ...(isMoved ? { nextRecurrence } : {}),
    ...(hasNewRule && ruleset !== null ? { ruleset } : {}),
    ...(graceDays === spending.graceDays ? {} : { graceDays }),
    ...(settlesWhenSpent === spending.settlesWhenSpent ? {} : { settlesWhenSpent }),
    ...(isPaused === spending.isPaused ? {} : { isPaused }),
  }
  const path = { bankAccountId, spendingId: spending.spendingId }
  return await coffer.updateSpending({ path, body })
}
