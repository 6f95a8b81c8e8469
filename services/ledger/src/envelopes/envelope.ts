import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { Money } from '../money/money.ts'

export const SpendingType = z.enum(['expense', 'goal'])
export type SpendingType = z.infer<typeof SpendingType>

/**
 * The money set aside on a bank account for one spending object; budgeting has the plan.
 * `usedAmount` is the amount that a goal gave to transactions. `periodSpent` is the amount given
 * since the period began less returns: negative if spending of an earlier period came back.
 * `version` is that of the bank account at the envelope's last change, 1 before any.
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

/** A new, empty envelope (docs/money.md#expenses-and-goals). */
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

/** Progress towards the target: held; for a goal also used (docs/money.md#expenses-and-goals). */
export function progressOf(envelope: Envelope): bigint {
  if (envelope.spendingType === 'goal') return envelope.currentAmount + envelope.usedAmount
  return envelope.currentAmount
}
