import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { Money } from './money.ts'

export const SpendingType = z.enum(values['Spending.spendingType'])
export type SpendingType = z.infer<typeof SpendingType>

/**
 * Money set aside on a bank account for one expense or goal, in minor units. `currentAmount` is
 * held now; `usedAmount` is what a goal gave to transactions; `periodSpent` is what was given since
 * the period began, minus money given back (negative if a transaction of an earlier period returned
 * money). `version` is the bank account's version after the last change of the envelope, or 1 if
 * the envelope has not changed since its creation.
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

/** Returns a new envelope that holds no money. */
export function createEnvelope(
  identity: Pick<Envelope, 'accountId' | 'spendingId' | 'bankAccountId' | 'spendingType'>,
  now: Date,
): Envelope {
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

/** Returns the progress to the target in minor units: held money, plus the used money of a goal. */
export function progressOf(envelope: Envelope): bigint {
  if (envelope.spendingType === 'goal') return envelope.currentAmount + envelope.usedAmount
  return envelope.currentAmount
}
