import type { Spending } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { parseAmount } from '../../format/amount-input.ts'
import { instantOf } from '../../format/days.ts'
import { changesOf, type Entries, type Reading, ruleOf } from './envelope-entries.ts'

interface Place extends Reading {
  bankAccountId: string
  /** The envelope to change; without it a new one is created. */
  spending: Spending | undefined
}

/** Creates or changes the envelope. */
export async function saveEnvelope(entries: Entries, place: Place): Promise<unknown> {
  const { bankAccountId, spending, manner, timezone } = place
  if (spending !== undefined) {
    const path = { bankAccountId, spendingId: spending.spendingId }
    return await coffer.updateSpending({ path, body: changesOf(entries, spending, place) })
  }
  const { kind, name, target, day, fundingScheduleId } = entries
  const { graceDays, settlesWhenSpent, carryOver } = entries
  const shared = {
    name: name.trim(),
    fundingScheduleId,
    targetAmount: parseAmount(target, manner) ?? 0,
    nextRecurrence: instantOf(day, timezone),
  }
  const ruleset = ruleOf(entries, timezone) ?? ''
  const bill = { ruleset, graceDays, settlesWhenSpent, carryOver }
  const body =
    kind === 'goal'
      ? { ...shared, spendingType: 'goal' as const }
      : { ...shared, spendingType: 'expense' as const, ...bill }
  return await coffer.createSpending({ path: { bankAccountId }, body })
}
