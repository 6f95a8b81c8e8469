import type { Spending } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { type Saved, updateAsRead } from '../../controls/saving/as-read.ts'
import type { States } from '../../controls/saving/saving.tsx'
import { parseAmount } from '../../format/amount-input.ts'
import { instantOf } from '../../format/days.ts'
import { changesOf, type Entries, type Reading, ruleOf } from './envelope-entries.ts'

/** The envelope as `shown` and as `seen`, both undefined to create one. */
interface Place extends Reading, States<Spending | undefined> {
  bankAccountId: string
}

/** Creates or changes the envelope. */
export async function saveEnvelope(entries: Entries, place: Place): Promise<Saved<Spending>> {
  const { bankAccountId, shown, seen, manner, timezone } = place
  if (shown !== undefined && seen !== undefined) {
    const path = { bankAccountId, spendingId: shown.spendingId }
    return await updateAsRead({
      seen,
      body: changesOf(entries, shown, place),
      read: async () => {
        const { data, etag } = await coffer.getSpending({ path })
        return { data: { ...data, carryOver: data.carryOver ?? seen.carryOver }, etag }
      },
      update: (body, condition) => coffer.updateSpending({ path, body, ...condition }),
    })
  }
  const { kind, name, target, day, fundingScheduleId } = entries
  const { graceDays, settlesWhenSpent, carryOver, autoCreateTransaction } = entries
  const shared = {
    name: name.trim(),
    fundingScheduleId,
    targetAmount: parseAmount(target, manner) ?? 0,
    nextRecurrence: instantOf(day, timezone),
  }
  const ruleset = ruleOf(entries, timezone) ?? ''
  const bill = { ruleset, graceDays, settlesWhenSpent, carryOver, autoCreateTransaction }
  const body =
    kind === 'goal'
      ? { ...shared, spendingType: 'goal' as const }
      : { ...shared, spendingType: 'expense' as const, ...bill }
  return await coffer.createSpending({ path: { bankAccountId }, body })
}
