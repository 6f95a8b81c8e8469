import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { Money } from '../money/money.ts'

export const SpendingType = z.enum(['expense', 'goal'])
export type SpendingType = z.infer<typeof SpendingType>

/**
 * The money set aside on a bank account for one spending object; its plan belongs to budgeting.
 * `usedAmount` is what a goal has given to transactions. `periodSpent` is what has left for
 * transactions, net of returns, since the period began (negative when earlier spending came back).
 * `version` is that of the bank account as of the envelope's last change, 1 before any.
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

/** Refuses one more envelope than a bank account may have (docs/limits.md): 400. */
export function requireRoom(open: number, max: number): void {
  if (open < max) return
  throw refused(`a bank account has at most ${max} expenses and goals: delete one first`)
}

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
