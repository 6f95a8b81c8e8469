import { z } from 'zod'
import { Money } from './money.ts'

export const SpendingType = z.enum(['expense', 'goal'])
export type SpendingType = z.infer<typeof SpendingType>

/**
 * The money set aside on a bank account for one spending object; its plan belongs to budgeting.
 * `usedAmount` is what a goal has given to transactions. `periodSpent` is what has left for
 * transactions, net of returns, since the period began (negative when earlier spending came back).
 * `version` rises with every change.
 */
export const Envelope = z.object({
  accountId: z.string(),
  spendingId: z.string(),
  bankAccountId: z.string(),
  spendingType: SpendingType,
  currentAmount: Money.min(0n),
  usedAmount: Money.min(0n),
  periodSpent: Money,
  version: z.bigint(),
  openedAt: z.date(),
  closedAt: z.date().nullable(),
})
export type Envelope = z.infer<typeof Envelope>

export type NewEnvelope = Pick<
  Envelope,
  'accountId' | 'spendingId' | 'bankAccountId' | 'spendingType'
>

/** An empty envelope, as every spending object starts (`spec/interface.md` Spending object). */
export function openEnvelope(identity: NewEnvelope, now: Date): Envelope {
  return {
    ...identity,
    currentAmount: 0n,
    usedAmount: 0n,
    periodSpent: 0n,
    version: 1n,
    openedAt: now,
    closedAt: null,
  }
}

/** How far the envelope is towards its target: held, for a goal also used (`budgeting.md` 4). */
export function progressOf(envelope: Envelope): bigint {
  if (envelope.spendingType === 'goal') {
    return envelope.currentAmount + envelope.usedAmount
  }
  return envelope.currentAmount
}
