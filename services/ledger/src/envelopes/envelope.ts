import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { Money } from '../money/money.ts'

export const SpendingType = z.enum(['expense', 'goal'])
export type SpendingType = z.infer<typeof SpendingType>

/**
 * The money set aside on a bank account for one spending object; budgeting has its plan.
 * `usedAmount` is the amount that a goal gave to transactions. `periodSpent` is the amount given
 * since the period began, minus returns: negative if a transaction of an earlier period gave money
 * back. `version` is that of the bank account at the last change of the envelope; 1 before the
 * first.
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

/** Throws `refused` (400) if a bank account has `max` open envelopes (docs/limits.md). */
export function requireRoom(open: number, max: number): void {
  if (open < max) return
  throw refused(`a bank account has at most ${max} expenses and goals: delete one first`)
}

/** Returns a new, empty envelope (docs/money.md#expenses-and-goals). */
export function createEnvelope(identity: NewEnvelope, now: Date): Envelope {
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

/**
 * Returns the progress towards the target in minor units: the held amount, for a goal plus the used
 * amount (docs/money.md#expenses-and-goals).
 */
export function progressOf(envelope: Envelope): bigint {
  if (envelope.spendingType === 'goal') return envelope.currentAmount + envelope.usedAmount
  return envelope.currentAmount
}
